// SPDX-License-Identifier: Apache-2.0
/* Running a program with a captured packet. */
#include "kernel/replay.h"
#include "classifier/core/flow.h"
#include "frame/bytes.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ETHERNET_BYTES 14
#define IPV6_BYTES 40
#define KEPT_BYTES 160u /* of the packet: its headers, and what a payload begins with */
#define LENGTH_MOST_BYTES 0xffffu
#define NS_PER_US 1000

bool replay_can(const struct packet_view *view)
{
	return view->length <= LENGTH_MOST_BYTES && view->payload_at + HEAD_BYTES <= KEPT_BYTES;
}

/* As the packet would begin on Ethernet; returns its bytes. */
static uint32_t frame(uint8_t *bytes, const struct packet_view *view)
{
	uint32_t kept = view->captured < KEPT_BYTES ? view->captured : KEPT_BYTES;

	memset(bytes, 0, ETHERNET_BYTES);
	be16_store(bytes + 12, view->family == 4 ? 0x0800 : 0x86dd);
	memcpy(bytes + ETHERNET_BYTES, view->ip, kept);
	/* A sender's kernel left it out where its device cut the packet up. */
	if (view->family == 4)
		be16_store(bytes + ETHERNET_BYTES + 2, (uint16_t)view->length);
	else
		be16_store(bytes + ETHERNET_BYTES + 4, (uint16_t)(view->length - IPV6_BYTES));
	return ETHERNET_BYTES + kept;
}

int64_t replay_run(int program, const struct packet_view *view, uint64_t time_us)
{
	uint8_t bytes[ETHERNET_BYTES + KEPT_BYTES];
	struct __sk_buff context;
	union bpf_attr attributes;

	memset(&context, 0, sizeof(context));
	memset(&attributes, 0, sizeof(attributes));
	context.tstamp = time_us * NS_PER_US;
	attributes.test.prog_fd = (uint32_t)program;
	attributes.test.data_size_in = frame(bytes, view);
	attributes.test.data_in = (uint64_t)(uintptr_t)bytes;
	attributes.test.ctx_in = (uint64_t)(uintptr_t)&context;
	attributes.test.ctx_out = attributes.test.ctx_in;
	attributes.test.ctx_size_in = sizeof(context);
	attributes.test.ctx_size_out = sizeof(context);
	attributes.test.repeat = 1;
	if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof(attributes)) < 0)
		return -errno;
	return context.mark;
}
