// SPDX-License-Identifier: Apache-2.0
/* Lists of netlink(7), read through one buffer. */
#include "kernel/dump.h"

#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_BYTES (64u << 10) /* more than the kernel puts into one */
#define FIXED_MOST 32
#define KIND 0x3fff /* of an attribute, without its flags */

struct question {
	struct nlmsghdr header;
	char fixed[FIXED_MOST];
};

struct listing {
	size_t fixed_bytes;
	void (*row)(void *context, const char *fixed, struct attributes);
	void *context;
};

int dump_next(struct attributes *rest, struct attributes *value)
{
	struct nlattr head;
	size_t whole;

	if (!rest->at || rest->bytes < sizeof(head))
		return -1;
	memcpy(&head, rest->at, sizeof(head));
	if (head.nla_len < sizeof(head) || head.nla_len > rest->bytes)
		return -1;
	value->at = rest->at + sizeof(head);
	value->bytes = head.nla_len - sizeof(head);
	whole = NLA_ALIGN(head.nla_len);
	whole = whole < rest->bytes ? whole : rest->bytes;
	rest->at += whole;
	rest->bytes -= whole;
	return head.nla_type & KIND;
}

struct attributes dump_find(struct attributes rest, int kind)
{
	struct attributes value = { 0 };
	int found;

	while ((found = dump_next(&rest, &value)) >= 0)
		if (found == kind)
			return value;
	return (struct attributes){ 0 };
}

uint32_t dump_number(struct attributes value)
{
	uint32_t number = 0;

	if (value.at && value.bytes >= sizeof(number))
		memcpy(&number, value.at, sizeof(number));
	return number;
}

static int error_of(const char *message, size_t bytes)
{
	int error;

	if (bytes < NLMSG_HDRLEN + sizeof(error))
		return -EPROTO;
	memcpy(&error, message + NLMSG_HDRLEN, sizeof(error));
	return error;
}

/* One message of an answer. 1: more may come; 0: that was all; or -errno. */
static int take(const struct listing *listing, const char *message, const struct nlmsghdr *header)
{
	size_t ahead = NLMSG_HDRLEN + NLMSG_ALIGN(listing->fixed_bytes);

	if (header->nlmsg_flags & NLM_F_DUMP_INTR)
		return -EAGAIN;
	if (header->nlmsg_type == NLMSG_DONE)
		return 0;
	if (header->nlmsg_type == NLMSG_ERROR)
		return error_of(message, header->nlmsg_len);
	if (!listing->row || header->nlmsg_len < ahead)
		return -EPROTO;
	listing->row(listing->context, message + NLMSG_HDRLEN,
		     (struct attributes){ message + ahead, header->nlmsg_len - ahead });
	return 1;
}

static int take_all(const struct listing *listing, const char *answer, size_t bytes)
{
	struct nlmsghdr header;
	int result = 1;

	while (result > 0 && bytes >= sizeof(header)) {
		size_t whole;

		memcpy(&header, answer, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > bytes)
			return -EPROTO;
		result = take(listing, answer, &header);
		whole = NLMSG_ALIGN(header.nlmsg_len);
		whole = whole < bytes ? whole : bytes;
		answer += whole;
		bytes -= whole;
	}
	return result;
}

static int read_answers(int fd, const struct listing *listing, char *answer)
{
	int result = 1;

	while (result > 0) {
		ssize_t bytes = recv(fd, answer, ANSWER_BYTES, MSG_TRUNC);

		if (bytes < 0)
			return -errno;
		if (bytes > (ssize_t)ANSWER_BYTES)
			return -EMSGSIZE;
		result = take_all(listing, answer, (size_t)bytes);
	}
	return result;
}

static int ask(int family, const struct question *question, const struct listing *listing)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, family);
	char *answer = fd < 0 ? NULL : malloc(ANSWER_BYTES);
	int result;

	if (fd < 0)
		return -errno;
	if (!answer)
		result = -ENOMEM;
	else if (send(fd, question, question->header.nlmsg_len, 0) < 0)
		result = -errno;
	else
		result = read_answers(fd, listing, answer);
	free(answer);
	close(fd);
	return result;
}

int dump_rows(int family, uint16_t kind, size_t fixed_bytes,
	      void (*row)(void *context, const char *fixed, struct attributes), void *context)
{
	struct listing listing = { .fixed_bytes = fixed_bytes, .row = row, .context = context };
	struct question question = { .header = {
					     .nlmsg_len = (uint32_t)NLMSG_LENGTH(fixed_bytes),
					     .nlmsg_type = kind,
					     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
				     } };

	return ask(family, &question, &listing);
}

int dump_forget_connections(void)
{
	struct listing listing = { 0 };
	struct question question = {
		.header = {
			.nlmsg_len = NLMSG_LENGTH(sizeof(struct nfgenmsg)),
			.nlmsg_type = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_DELETE,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
	};

	return ask(NETLINK_NETFILTER, &question, &listing);
}
