// SPDX-License-Identifier: Apache-2.0
/*
 * Offloaded connections, by a dump of the table of connections that the kernel filters. It walks all
 * of the table for it, which takes the CPU for 14 ms with 262 144 buckets on a PC. So it is asked only
 * where there may be a flow table.
 */
#include "kernel/offload.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* Not in all headers. A flow that a driver forwards has both. */
#define OFFLOADED (1u << 14) /* IPS_OFFLOAD */
#define BY_DRIVER (1u << 15) /* IPS_HW_OFFLOAD */
#define ALIGNED(bytes) (((size_t)(bytes) + 3) & ~(size_t)3)
#define ANSWER_BYTES 32768
#define ANSWERS_MOST 4096 /* of a dump: a table that grows meanwhile has an end, too */

struct status {
	struct nlattr head;
	uint32_t value;
};

struct request {
	struct nlmsghdr header;
	struct nfgenmsg message;
	struct status status, mask;
};

/* What makes flow tables of its own, of which nftables knows nothing. */
static const char *const others[] = { "/sys/module/xt_FLOWOFFLOAD", "/sys/module/act_ct" };

typedef void see_message(const struct nlmsghdr *header, void *context);

/* A connection's own status, which an older kernel does not filter by; 0: it has none. */
static uint32_t status_of(const struct nlmsghdr *header)
{
	size_t at = ALIGNED(sizeof(struct nlmsghdr) + sizeof(struct nfgenmsg));

	while (at + sizeof(struct nlattr) <= header->nlmsg_len) {
		struct status status;
		const char *place = (const char *)header + at;

		memcpy(&status.head, place, sizeof(status.head));
		if (status.head.nla_len < sizeof(struct nlattr))
			return 0;
		if ((status.head.nla_type & NLA_TYPE_MASK) == CTA_STATUS &&
		    at + sizeof(status) <= header->nlmsg_len) {
			memcpy(&status.value, place + sizeof(status.head), sizeof(status.value));
			return ntohl(status.value);
		}
		at += ALIGNED(status.head.nla_len);
	}
	return 0;
}

static void see_connection(const struct nlmsghdr *header, void *context)
{
	struct offloaded *offloaded = context;
	uint32_t status = status_of(header);

	offloaded->flows += (status & OFFLOADED) != 0;
	offloaded->by_driver += (status & BY_DRIVER) != 0;
}

static void see_table(const struct nlmsghdr *header, void *context)
{
	uint64_t *tables = context;

	(void)header;
	++*tables;
}

/* Shows each message of an answer. 1: more come; 0: the end; -errno. */
static int take(const char *bytes, size_t length, see_message *see, void *context)
{
	size_t at = 0;

	while (at + sizeof(struct nlmsghdr) <= length) {
		const struct nlmsghdr *header = (const void *)(bytes + at);

		if (header->nlmsg_len < sizeof(*header) || header->nlmsg_len > length - at)
			return -EBADMSG;
		if (header->nlmsg_type == NLMSG_DONE)
			return 0;
		if (header->nlmsg_type == NLMSG_ERROR)
			return ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
		see(header, context);
		at += ALIGNED(header->nlmsg_len);
	}
	return 1;
}

static int dump(int fd, const void *request, size_t size, see_message *see, void *context)
{
	static _Alignas(struct nlmsghdr) char bytes[ANSWER_BYTES];

	if (send(fd, request, size, 0) < 0)
		return -errno;
	for (int i = 0; i < ANSWERS_MOST; i++) {
		ssize_t got = recv(fd, bytes, sizeof(bytes), 0);
		int more = got < 0 ? -errno : take(bytes, (size_t)got, see, context);

		if (more <= 0)
			return more;
	}
	return 0;
}

/* Whether something may offload flows here. */
static bool may_offload(int fd)
{
	const struct {
		struct nlmsghdr header;
		struct nfgenmsg message;
	} request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETFLOWTABLE,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.message = { .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0 },
	};
	uint64_t tables = 0;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!access(others[i], F_OK))
			return true;
	return !dump(fd, &request, sizeof(request), see_table, &tables) && tables;
}

static int count_connections(int fd, struct offloaded *offloaded)
{
	const uint32_t bits = htonl(OFFLOADED);
	const struct request request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.message = { .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0 },
		.status = { { sizeof(struct status), CTA_STATUS }, bits },
		.mask = { { sizeof(struct status), CTA_STATUS_MASK }, bits },
	};

	return dump(fd, &request, sizeof(request), see_connection, offloaded);
}

int offload_count(struct offloaded *offloaded)
{
	const struct timeval patience = { .tv_sec = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	int error;

	*offloaded = (struct offloaded){ 0 };
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	error = may_offload(fd) ? count_connections(fd, offloaded) : 0;
	close(fd);
	return error;
}
