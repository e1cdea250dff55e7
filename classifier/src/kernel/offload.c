// SPDX-License-Identifier: Apache-2.0
/* Offloaded connections, by a dump of the table of connections that the kernel filters. */
#include "kernel/offload.h"

#include <arpa/inet.h>
#include <errno.h>
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

static int ask(int fd)
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

	return send(fd, &request, sizeof(request), 0) < 0 ? -errno : 0;
}

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

/* Counts those of an answer. 1: more come; 0: the end; -errno. */
static int count(const char *bytes, size_t length, struct offloaded *offloaded)
{
	size_t at = 0;

	while (at + sizeof(struct nlmsghdr) <= length) {
		const struct nlmsghdr *header = (const void *)(bytes + at);
		uint32_t status;

		if (header->nlmsg_len < sizeof(*header) || header->nlmsg_len > length - at)
			return -EBADMSG;
		if (header->nlmsg_type == NLMSG_DONE)
			return 0;
		if (header->nlmsg_type == NLMSG_ERROR)
			return ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
		status = status_of(header);
		offloaded->flows += (status & OFFLOADED) != 0;
		offloaded->by_driver += (status & BY_DRIVER) != 0;
		at += ALIGNED(header->nlmsg_len);
	}
	return 1;
}

static int dump(int fd, struct offloaded *offloaded)
{
	static _Alignas(struct nlmsghdr) char bytes[ANSWER_BYTES];
	int more = ask(fd);

	if (more)
		return more;
	for (int i = 0; i < ANSWERS_MOST; i++) {
		ssize_t got = recv(fd, bytes, sizeof(bytes), 0);

		more = got < 0 ? -errno : count(bytes, (size_t)got, offloaded);
		if (more <= 0)
			return more;
	}
	return 0;
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
	error = dump(fd, offloaded);
	close(fd);
	return error;
}
