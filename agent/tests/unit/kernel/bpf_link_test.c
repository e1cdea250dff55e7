// SPDX-License-Identifier: Apache-2.0
#include "bpf/live.h"
#include "bpf/sink.h"
#include "bpf/slow.h"
#include "kernel/bpf_link.h"
#include "kernel/bpf_object.h"
#include "tests/test.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>

static const struct bpf_map maps[] = {
	{ .name = SLOW_WAIT, .fd = 41 },
	{ .name = SLOW_PACKETS, .fd = 42 },
};

static struct bpf_program slow_program(const uint8_t *object, size_t length)
{
	return (struct bpf_program){
		.object = object,
		.object_bytes = length,
		.section = SLOW_SECTION,
		.maps = maps,
		.map_count = 2,
	};
}

TEST(bpf_link_relocates_the_slow)
{
	struct bpf_program program = slow_program(bpf_slow, bpf_slow_bytes);
	struct bpf_linked linked;
	unsigned int seen_maps = 0, seen_functions = 0;

	CHECK_EQUAL(bpf_link(&linked, &program), 0);
	CHECK_EQUAL(linked.function_count, 2);
	CHECK_EQUAL(linked.function[0].insn_off, 0);
	CHECK_EQUAL(((const struct btf_header *)linked.btf)->magic, BTF_MAGIC);
	for (size_t i = 0; i < linked.code_count; i++) {
		const struct bpf_insn *insn = &linked.code[i];

		if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (insn->src_reg == BPF_PSEUDO_MAP_FD)
			seen_maps |= 1u << (insn->imm - 41);
		if (insn->src_reg == BPF_PSEUDO_FUNC) {
			seen_functions++;
			CHECK_EQUAL((int64_t)i + 1 + insn->imm, linked.function[1].insn_off);
		}
		i++;
	}
	CHECK_EQUAL(seen_maps, 3);
	CHECK_EQUAL(seen_functions, 1);
	CHECK_EQUAL(linked.code[linked.code_count - 1].code, BPF_JMP | BPF_EXIT);
	bpf_link_release(&linked);
}

/* One function whatever it is made of: nothing is called, so no old kernel needs to take a call. */
TEST(bpf_link_relocates_the_sink)
{
	static const struct bpf_map all[] = {
		{ .name = SINK_CONFIG, .fd = 50 },     { .name = SINK_QUEUE, .fd = 51 },
		{ .name = SINK_BIN, .fd = 52 },	       { .name = SINK_FLOW, .fd = 53 },
		{ .name = SINK_FLOW_DELAY, .fd = 54 }, { .name = SINK_LEDGER, .fd = 55 },
		{ .name = SINK_SILENCE, .fd = 56 },
	};
	static const struct bpf_constant constants[] = {
		{ SINK_FAMILY, 4 },
		{ SINK_KEYED, 0 },
		{ SINK_DELAY, SINK_DELAY_TOTAL },
	};
	const struct bpf_program program = {
		.object = bpf_sink,
		.object_bytes = bpf_sink_bytes,
		.section = SINK_SECTION,
		.maps = all,
		.map_count = 7,
		.constants = constants,
		.constant_count = 3,
	};
	struct bpf_linked linked;
	unsigned int seen = 0;

	CHECK_EQUAL(bpf_link(&linked, &program), 0);
	CHECK_EQUAL(linked.function_count, 1);
	for (size_t i = 0; i < linked.code_count; i++) {
		const struct bpf_insn *insn = &linked.code[i];

		if (insn->code != (BPF_LD | BPF_IMM | BPF_DW))
			continue;
		if (insn->src_reg == BPF_PSEUDO_MAP_FD)
			seen |= 1u << (insn->imm - 50);
		i++;
	}
	CHECK_EQUAL(seen, 127);
	bpf_link_release(&linked);
}

TEST(bpf_link_misses_a_map)
{
	struct bpf_program program = slow_program(bpf_slow, bpf_slow_bytes);
	struct bpf_linked linked;

	program.map_count = 1;
	CHECK_EQUAL(bpf_link(&linked, &program), -ENOENT);
	program.section = "xdp";
	CHECK_EQUAL(bpf_link(&linked, &program), -ENOEXEC);
}

/* Two programs in one object, each with its section's relocations and functions. */
TEST(bpf_link_takes_one_of_two)
{
	static const struct bpf_map live_maps[] = {
		{ .name = LIVE_PLAN, .fd = 1 }, { .name = LIVE_STATE, .fd = 2 },
		{ .name = LIVE_FLOW, .fd = 3 }, { .name = LIVE_SIZE, .fd = 4 },
		{ .name = LIVE_LATE, .fd = 5 }, { .name = LIVE_PAUSE, .fd = 6 },
	};
	struct bpf_program program = {
		.object = bpf_live,
		.object_bytes = bpf_live_bytes,
		.section = LIVE_SECTION,
		.maps = live_maps,
		.map_count = 6,
	};
	struct bpf_linked linked;

	CHECK_EQUAL(bpf_link(&linked, &program), 0);
	CHECK_EQUAL(linked.function_count, 2);
	bpf_link_release(&linked);
	program.map_count = 5;
	CHECK_EQUAL(bpf_link(&linked, &program), -ENOENT);
	program.section = LIVE_PROBE_SECTION;
	program.map_count = 1;
	CHECK_EQUAL(bpf_link(&linked, &program), 0);
	CHECK_EQUAL(linked.function_count, 1);
	bpf_link_release(&linked);
}

/* Whatever is broken in an object: an error or a result, never a read outside of it. */
TEST(bpf_link_survives_damage)
{
	size_t length = bpf_slow_bytes;
	uint64_t state = 11;

	for (int round = 0; round < 3000; round++) {
		size_t kept = round % 4 ? length : test_random(&state) % length;
		uint8_t *damaged = malloc(kept ? kept : 1);
		struct bpf_program program = slow_program(damaged, kept);
		struct bpf_linked linked;

		memcpy(damaged, bpf_slow, kept);
		for (int i = 0; kept && i < 8; i++) {
			/* Mostly in headers and relocations: the file's ends. */
			size_t at = test_random(&state) % kept;

			damaged[at] = (uint8_t)test_random(&state);
		}
		if (bpf_link(&linked, &program) == 0)
			bpf_link_release(&linked);
		free(damaged);
	}
	CHECK(length > 0);
}
