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

#define OFFLOADED (1u << 14) /* IPS_OFFLOAD; by hardware, too. Not in all headers */
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

/* An older kernel does not filter: each connection's own status is looked at. */
static bool is_offloaded(const struct nlmsghdr *header)
{
	size_t at = ALIGNED(sizeof(struct nlmsghdr) + sizeof(struct nfgenmsg));

	while (at + sizeof(struct nlattr) <= header->nlmsg_len) {
		struct status status;
		const char *place = (const char *)header + at;

		memcpy(&status.head, place, sizeof(status.head));
		if (status.head.nla_len < sizeof(struct nlattr))
			return false;
		if ((status.head.nla_type & NLA_TYPE_MASK) == CTA_STATUS &&
		    at + sizeof(status) <= header->nlmsg_len) {
			memcpy(&status.value, place + sizeof(status.head), sizeof(status.value));
			return (ntohl(status.value) & OFFLOADED) != 0;
		}
		at += ALIGNED(status.head.nla_len);
	}
	return false;
}

/* Counts those of an answer. 1: more come; 0: the end; -errno. */
static int count(const char *bytes, size_t length, int64_t *offloaded)
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
		*offloaded += is_offloaded(header);
		at += ALIGNED(header->nlmsg_len);
	}
	return 1;
}

static int64_t dump(int fd)
{
	static _Alignas(struct nlmsghdr) char bytes[ANSWER_BYTES];
	int64_t offloaded = 0;
	int more = ask(fd);

	if (more)
		return more;
	for (int i = 0; i < ANSWERS_MOST; i++) {
		ssize_t got = recv(fd, bytes, sizeof(bytes), 0);

		more = got < 0 ? -errno : count(bytes, (size_t)got, &offloaded);
		if (more <= 0)
			return more ? more : offloaded;
	}
	return offloaded;
}

int64_t offload_count(void)
{
	const struct timeval patience = { .tv_sec = 1 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER);
	int64_t offloaded;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	offloaded = dump(fd);
	close(fd);
	return offloaded;
}
