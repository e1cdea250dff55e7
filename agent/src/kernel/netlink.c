// SPDX-License-Identifier: Apache-2.0
/* rtnetlink: one request, one answer. */
#include "kernel/netlink.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
	struct nlmsghdr header;
	struct tcmsg tc;
	char attributes[256];
};

static struct request request_for(uint16_t type, uint16_t flags, int device_index)
{
	struct request request = {
		.header.nlmsg_len = NLMSG_LENGTH(sizeof(struct tcmsg)),
		.header.nlmsg_type = type,
		.header.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags),
		.tc.tcm_family = AF_UNSPEC,
		.tc.tcm_ifindex = device_index,
		.tc.tcm_handle = TC_H_MAKE(TC_H_CLSACT, 0),
		.tc.tcm_parent = TC_H_CLSACT,
	};

	return request;
}

/* Appends an attribute; all of ours fit. Returns it. */
static struct rtattr *append(struct request *request, uint16_t type, const void *data,
			     size_t length)
{
	struct rtattr *attribute =
		(void *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (uint16_t)RTA_LENGTH(length);
	if (length)
		memcpy(RTA_DATA(attribute), data, length);
	request->header.nlmsg_len =
		(uint32_t)(NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len));
	return attribute;
}

static void append_text(struct request *request, uint16_t type, const char *text)
{
	append(request, type, text, strlen(text) + 1);
}

static int receive_answer(int fd)
{
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char rest[512];
	} answer;
	ssize_t length = recv(fd, &answer, sizeof(answer), 0);

	if (length < 0)
		return -errno;
	if ((size_t)length < NLMSG_LENGTH(sizeof(int)) || answer.header.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return answer.error.error;
}

static int talk(struct request *request)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int result;

	if (fd < 0)
		return -errno;
	if (send(fd, request, request->header.nlmsg_len, 0) < 0)
		result = -errno;
	else
		result = receive_answer(fd);
	close(fd);
	return result;
}

int netlink_add_clsact(int device_index)
{
	struct request request = request_for(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_EXCL, device_index);

	append_text(&request, TCA_KIND, "clsact");
	return talk(&request);
}

int netlink_remove_clsact(int device_index)
{
	struct request request = request_for(RTM_DELQDISC, 0, device_index);

	return talk(&request);
}

int netlink_attach(int device_index, enum clsact_hook hook, int program, const char *name)
{
	struct request request =
		request_for(RTM_NEWTFILTER, NLM_F_CREATE | NLM_F_EXCL, device_index);
	uint32_t flags = TCA_BPF_FLAG_ACT_DIRECT;
	uint8_t every_protocol[2] = { ETH_P_ALL >> 8, ETH_P_ALL & 255 };
	uint16_t protocol;
	struct rtattr *options;

	memcpy(&protocol, every_protocol, sizeof(protocol));
	request.tc.tcm_handle = 0;
	request.tc.tcm_parent =
		TC_H_MAKE(TC_H_CLSACT, hook == CLSACT_EGRESS ? TC_H_MIN_EGRESS : TC_H_MIN_INGRESS);
	request.tc.tcm_info = TC_H_MAKE(1u << 16, protocol);
	append_text(&request, TCA_KIND, "bpf");
	options = append(&request, TCA_OPTIONS, NULL, 0);
	append(&request, TCA_BPF_FD, &program, sizeof(program));
	append_text(&request, TCA_BPF_NAME, name);
	append(&request, TCA_BPF_FLAGS, &flags, sizeof(flags));
	options->rta_len =
		(uint16_t)((char *)&request + request.header.nlmsg_len - (char *)options);
	return talk(&request);
}

/* Looks through the attributes of an RTM_NEWLINK, from `at` to `end`. */
static int find_queues(const char *at, const char *end)
{
	struct rtattr attribute;
	uint32_t queues;

	for (; end - at >= (ptrdiff_t)RTA_LENGTH(0); at += RTA_ALIGN(attribute.rta_len)) {
		memcpy(&attribute, at, sizeof(attribute));
		if (attribute.rta_len < RTA_LENGTH(0) || attribute.rta_len > end - at)
			break;
		if (attribute.rta_type != IFLA_NUM_RX_QUEUES ||
		    attribute.rta_len < RTA_LENGTH(sizeof(queues)))
			continue;
		memcpy(&queues, at + RTA_LENGTH(0), sizeof(queues));
		return queues && queues <= INT16_MAX ? (int)queues : -EPROTO;
	}
	return -EPROTO;
}

static int read_link(int fd)
{
	char answer[32 << 10];
	ssize_t length = recv(fd, answer, sizeof(answer), 0);
	struct nlmsghdr header;
	int error;

	if (length < 0)
		return -errno;
	if ((size_t)length < NLMSG_SPACE(sizeof(struct ifinfomsg)))
		return -EPROTO;
	memcpy(&header, answer, sizeof(header));
	memcpy(&error, answer + NLMSG_HDRLEN, sizeof(error));
	if (header.nlmsg_type == NLMSG_ERROR)
		return error;
	return find_queues(answer + NLMSG_SPACE(sizeof(struct ifinfomsg)), answer + length);
}

int netlink_receive_queues(int device_index)
{
	struct {
		struct nlmsghdr header;
		struct ifinfomsg link;
	} request = {
		.header.nlmsg_len = sizeof(request),
		.header.nlmsg_type = RTM_GETLINK,
		.header.nlmsg_flags = NLM_F_REQUEST,
		.link.ifi_index = device_index,
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	int result;

	if (fd < 0)
		return -errno;
	if (send(fd, &request, sizeof(request), 0) < 0)
		result = -errno;
	else
		result = read_link(fd);
	close(fd);
	return result;
}
