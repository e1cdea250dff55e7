// SPDX-License-Identifier: Apache-2.0
/* The program in the kernel, where this user may load it, knows the same packets as captures. */
#include "kernel/gateway.h"
#include "tests/frames.h"
#include "tests/test.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int run(int program, const struct test_frame *frame)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.test.prog_fd = (uint32_t)program;
	attributes.test.data_in = (uint64_t)(uintptr_t)frame->bytes;
	attributes.test.data_size_in = frame->length;
	attributes.test.repeat = 1;
	return (int)syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof(attributes));
}

static void check_frame(const struct gateway *gateway, int program, const struct test_frame *frame)
{
	bool is_read = frame->verdict == PACKET_TAKEN;
	uint64_t before[CLASSIFY_KINDS], after[CLASSIFY_KINDS];

	CHECK_EQUAL(gateway_counts(gateway, before), 0);
	CHECK_EQUAL(run(program, frame), 0);
	CHECK_EQUAL(gateway_counts(gateway, after), 0);
	CHECK_EQUAL(after[CLASSIFY_SEEN] - before[CLASSIFY_SEEN], is_read);
	CHECK_EQUAL(after[CLASSIFY_OTHER] - before[CLASSIFY_OTHER], !is_read);
	if (after[CLASSIFY_SEEN] - before[CLASSIFY_SEEN] != is_read)
		printf("# %s\n", frame->name);
}

TEST(kernel_knows_every_ethernet_frame_of_the_table)
{
	const struct gateway_options options = { .flows = 256, .decisions = 64 };
	static struct named_model named;
	struct gateway gateway;
	struct fault fault = { 0 };
	int program;

	model_preset(&named.model);
	program = gateway_open(&gateway, &named, &options, &fault);
	if (!program)
		program = gateway_load(&gateway, WAY_UP, &fault);
	if (program == -EPERM || program == -ENOSYS)
		SKIP("this user may not load a program");
	else if (program < 0)
		CHECK_TEXT(fault.reason, "");
	for (size_t i = 0; program >= 0 && i < TEST_FRAMES; i++)
		if (test_frame_is_ethernet(&test_frames[i]))
			check_frame(&gateway, program, &test_frames[i]);
	if (program >= 0)
		close(program);
	gateway_close(&gateway);
}
