// SPDX-License-Identifier: Apache-2.0
/*
 * The program in the kernel, where this user may load it: packets that GRO has merged, and every
 * frame of the table.
 */
#include "flows/table.h"
#include "frame/frame.h"
#include "kernel/bpf_object.h"
#include "replay/packet.h"
#include "tests/frames.h"
#include "tests/test.h"
#include "time/clock.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TCP_BYTES 32 /* with its time stamps */
#define PAYLOAD 3000
#define SEGMENTS 3

struct made_packet {
	uint8_t bytes[ETHERNET_BYTES + IPV6_BYTES + TCP_BYTES + PAYLOAD];
	uint32_t length, ip_bytes;
};

static void add_tcp(struct made_packet *made)
{
	uint8_t *tcp = made->bytes + made->length;

	be16_store(tcp, 5000);
	be16_store(tcp + 2, 80);
	tcp[12] = TCP_BYTES / 4 << 4;
	made->length += TCP_BYTES + PAYLOAD;
}

static void make(struct made_packet *made, int family)
{
	uint8_t *ip = made->bytes + ETHERNET_BYTES;

	*made = (struct made_packet){ .ip_bytes = family == 4 ? IPV4_BYTES : IPV6_BYTES };
	be16_store(made->bytes + 12, family == 4 ? 0x0800 : 0x86dd);
	if (family == 4) {
		ip[0] = 0x45;
		be16_store(ip + 2, IPV4_BYTES + TCP_BYTES + PAYLOAD);
		ip[9] = PROTOCOL_TCP;
		ip[12] = 1;
	} else {
		ip[0] = 0x60;
		be16_store(ip + 4, TCP_BYTES + PAYLOAD);
		ip[6] = PROTOCOL_TCP;
		ip[8] = 1;
	}
	made->length = ETHERNET_BYTES + made->ip_bytes;
	add_tcp(made);
}

struct way_of_counting {
	uint64_t cpus, ticks;
};

static int load(const struct flow_table *table, const struct way_of_counting *by,
		struct fault *fault)
{
	const struct bpf_map maps[] = { table->ipv4.flows, table->ipv6.flows, table->counts };
	const struct bpf_constant constants[] = {
		{ FLOWS_RAW, 0 },
		{ FLOWS_CPUS, by->cpus },
		{ FLOWS_TICKS, by->ticks },
	};
	const struct bpf_program program = {
		.object = bpf_flows,
		.object_bytes = bpf_flows_bytes,
		.section = FLOWS_SECTION,
		.name = "gm_flows",
		.type = BPF_PROG_TYPE_SCHED_CLS,
		.maps = maps,
		.map_count = 3,
		.constants = constants,
		.constant_count = sizeof(constants) / sizeof(constants[0]),
	};

	return bpf_program_load(&program, fault);
}

/* 0, or -1 where this kernel's test runs know no merged packets (before Linux 5.7). */
static int run(int program, const void *bytes, uint32_t length, uint32_t segments)
{
	struct __sk_buff context;
	union bpf_attr attributes;

	memset(&context, 0, sizeof(context));
	memset(&attributes, 0, sizeof(attributes));
	context.gso_segs = segments;
	attributes.test.prog_fd = (uint32_t)program;
	attributes.test.data_in = (uint64_t)(uintptr_t)bytes;
	attributes.test.data_size_in = length;
	attributes.test.ctx_in = (uint64_t)(uintptr_t)&context;
	attributes.test.ctx_size_in = sizeof(context);
	attributes.test.repeat = 1;
	return (int)syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof(attributes));
}

static void sum(void *context, const struct flow_record *record)
{
	struct flow *total = context;

	for (int way = 0; way < FLOW_WAYS; way++) {
		total->packets[0] += record->flow.packets[way];
		total->bytes[0] += record->flow.bytes[way];
		if (record->flow.packets[way]) {
			total->first_ns[way] = record->flow.first_ns[way];
			total->last_ns[way] = record->flow.last_ns[way];
		}
	}
}

/* The times of packets that came between these. */
static void check_times(const struct flow *total, uint64_t before_ns, uint64_t after_ns)
{
	for (int way = 0; way < FLOW_WAYS; way++) {
		if (!total->first_ns[way])
			continue;
		CHECK(total->first_ns[way] >= before_ns);
		CHECK(total->last_ns[way] >= total->first_ns[way]);
		CHECK(total->last_ns[way] <= after_ns);
	}
}

/* What is counted of a packet that was merged of so many, sent twice; 0: one as it was sent. */
static void check_counts(int family, uint32_t segments, const struct way_of_counting *by)
{
	struct flow_limits limits = { 0 };
	struct flow_counts counts;
	struct flow_table table;
	struct flow total = { 0 };
	struct made_packet made;
	struct fault fault;
	uint32_t packets = 2 * (segments ? segments : 1);
	uint64_t left, before_ns = clock_now();
	int program = -1;

	flow_table_prepare(&table);
	make(&made, family);
	if (!flow_table_open(&table, 64, &fault))
		program = load(&table, by, &fault);
	if (program >= 0 && !run(program, made.bytes, made.length, segments) &&
	    !run(program, made.bytes, made.length, segments)) {
		uint64_t after_ns = clock_now();

		CHECK_EQUAL(flow_table_collect(&table, &limits, true, sum, &total, &left), 0);
		CHECK_EQUAL(flow_table_count(&table, &counts), 0);
		CHECK_EQUAL(total.packets[0], packets);
		CHECK_EQUAL(total.bytes[0], packets * (made.ip_bytes + TCP_BYTES) + 2 * PAYLOAD);
		CHECK_EQUAL(counts.of[FLOWS_COUNTED], packets);
		check_times(&total, before_ns, after_ns);
	}
	if (program >= 0)
		close(program);
	flow_table_close(&table);
}

/* Each way of counting: by one CPU and by several, with the clock's ticks and without. */
static void check_ways(uint32_t segments)
{
	for (uint64_t way = 0; way < 4; way++) {
		const struct way_of_counting by = { .cpus = 1 + way % 2, .ticks = way / 2 };

		check_counts(4, segments, &by);
		check_counts(6, segments, &by);
	}
}

TEST(flows_count_a_packet_as_it_was_sent)
{
	check_ways(0);
}

TEST(flows_count_a_merged_packet_as_those_of_the_wire)
{
	check_ways(SEGMENTS);
}

static void keep(void *context, const struct flow_record *record)
{
	*(struct flow_record *)context = *record;
}

/* A port of the record, of the end that sent or of the other. */
static uint16_t port_of(const struct flow_record *record, bool source)
{
	bool is_low = source != record->flow.first_way;

	return be16_load((const uint8_t *)(is_low ? &record->low_port : &record->high_port));
}

static void check_record(const struct test_frame *frame, const struct flow_record *record)
{
	/* ICMP's type and code (RFC 5102, section 5.4.5) of the two in the table. */
	uint16_t icmp = frame->protocol == 1 ? 0x0303 : frame->protocol == 58 ? 0x8f00 : 0;

	CHECK_EQUAL(record->is_ipv6, frame->family == 6);
	CHECK_EQUAL(record->protocol, frame->protocol);
	CHECK_EQUAL(port_of(record, true), frame->ports[0]);
	CHECK_EQUAL(port_of(record, false), icmp ? icmp : frame->ports[1]);
	CHECK_EQUAL(record->flow.bytes[record->flow.first_way], frame->ip_bytes);
}

/* What the program keeps of a frame; nothing is checked where this user, or an emulator of
 * another processor, cannot load it. */
static void check_frame(const struct test_frame *frame)
{
	const struct way_of_counting by = { .cpus = 1 };
	struct flow_record record = { 0 };
	struct flow_limits limits = { 0 };
	struct flow_counts counts = { 0 };
	struct flow_table table;
	struct fault fault;
	uint64_t left;
	int program;

	flow_table_prepare(&table);
	program = flow_table_open(&table, 64, &fault);
	if (!program)
		program = load(&table, &by, &fault);
	if (program < 0 && program != -EPERM && program != -ENOSYS)
		CHECK_TEXT(fault.reason, "");
	if (program >= 0 && !run(program, frame->bytes, frame->length, 0)) {
		CHECK_EQUAL(flow_table_collect(&table, &limits, true, keep, &record, &left), 0);
		CHECK_EQUAL(flow_table_count(&table, &counts), 0);
		CHECK_EQUAL(counts.of[FLOWS_OTHER], frame->verdict == PACKET_NOT_IP);
		CHECK_EQUAL(counts.of[FLOWS_COUNTED], frame->verdict != PACKET_NOT_IP);
		if (frame->ip_bytes)
			check_record(frame, &record);
	}
	if (program >= 0)
		close(program);
	flow_table_close(&table);
}

TEST(flows_know_every_ethernet_frame_of_the_table)
{
	for (size_t i = 0; i < TEST_FRAMES; i++) {
		unsigned long failures = test_failures;

		if (test_frame_is_ethernet(&test_frames[i]))
			check_frame(&test_frames[i]);
		if (test_failures != failures)
			printf("# %s\n", test_frames[i].name);
	}
}
