// SPDX-License-Identifier: Apache-2.0
/* RTM_GETSTATS with IFLA_STATS_LINK_64: one question, one short answer. */
#include "count/counters.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The values up to the last that is read, which every kernel has. */
#define WANTED_BYTES offsetof(struct rtnl_link_stats64, multicast)

struct question {
	struct nlmsghdr header;
	struct if_stats_msg stats;
};

struct answer {
	struct nlmsghdr header;
	struct if_stats_msg stats;
	struct rtattr attribute;
	char values[1024]; /* struct rtnl_link_stats64 grows with the kernel */
};

static int read_answer(struct counters *counters, const struct answer *answer, size_t length)
{
	struct rtnl_link_stats64 values;
	struct nlmsgerr error;

	if (length >= NLMSG_LENGTH(sizeof(error)) && answer->header.nlmsg_type == NLMSG_ERROR) {
		memcpy(&error, &answer->stats, sizeof(error));
		return error.error ? error.error : -EPROTO;
	}
	if (length < offsetof(struct answer, values) + WANTED_BYTES ||
	    answer->header.nlmsg_type != RTM_NEWSTATS ||
	    answer->attribute.rta_type != IFLA_STATS_LINK_64)
		return -EPROTO;
	memcpy(&values, answer->values, WANTED_BYTES);
	*counters = (struct counters){
		.sent_packets = values.tx_packets,
		.sent_bytes = values.tx_bytes,
		.sent_dropped = values.tx_dropped,
	};
	return 0;
}

static int ask(struct counters *counters, int fd, int index)
{
	struct question question = {
		.header.nlmsg_len = sizeof(question),
		.header.nlmsg_type = RTM_GETSTATS,
		.header.nlmsg_flags = NLM_F_REQUEST,
		.stats.ifindex = (uint32_t)index,
		.stats.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64),
	};
	struct answer answer = { 0 };
	ssize_t length;

	if (send(fd, &question, sizeof(question), 0) < 0)
		return -errno;
	length = recv(fd, &answer, sizeof(answer), 0);
	return length < 0 ? -errno : read_answer(counters, &answer, (size_t)length);
}

int counters_read(struct counters *counters, int index)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int result;

	if (fd < 0)
		return -errno;
	result = ask(counters, fd, index);
	close(fd);
	return result;
}
