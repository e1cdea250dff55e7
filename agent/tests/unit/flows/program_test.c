// SPDX-License-Identifier: Apache-2.0
/* The program in the kernel, where this user may load it: packets that GRO has merged. */
#include "flows/table.h"
#include "frame/frame.h"
#include "kernel/bpf_object.h"
#include "replay/packet.h"
#include "tests/test.h"

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

static int load(const struct flow_table *table, struct fault *fault)
{
	const struct bpf_map maps[] = { table->ipv4.flows, table->ipv6.flows, table->counts };
	const struct bpf_constant raw = { FLOWS_RAW, 0 };
	const struct bpf_program program = {
		.object = bpf_flows,
		.object_bytes = bpf_flows_bytes,
		.section = FLOWS_SECTION,
		.name = "gm_flows",
		.type = BPF_PROG_TYPE_SCHED_CLS,
		.maps = maps,
		.map_count = 3,
		.constants = &raw,
		.constant_count = 1,
	};

	return bpf_program_load(&program, fault);
}

/* 0, or -1 where this kernel's test runs know no merged packets (before Linux 5.7). */
static int run(int program, const struct made_packet *made, uint32_t segments)
{
	struct __sk_buff context;
	union bpf_attr attributes;

	memset(&context, 0, sizeof(context));
	memset(&attributes, 0, sizeof(attributes));
	context.gso_segs = segments;
	attributes.test.prog_fd = (uint32_t)program;
	attributes.test.data_in = (uint64_t)(uintptr_t)made->bytes;
	attributes.test.data_size_in = made->length;
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
	}
}

/* What is counted of a packet that was merged of so many; 0: one as it was sent. */
static void check_counts(int family, uint32_t segments)
{
	struct flow_limits limits = { 0 };
	struct flow_counts counts;
	struct flow_table table;
	struct flow total = { 0 };
	struct made_packet made;
	struct fault fault;
	uint32_t packets = segments ? segments : 1;
	uint64_t left;
	int program = -1;

	flow_table_prepare(&table);
	make(&made, family);
	if (!flow_table_open(&table, 64, &fault))
		program = load(&table, &fault);
	if (program >= 0 && !run(program, &made, segments)) {
		CHECK_EQUAL(flow_table_collect(&table, &limits, true, sum, &total, &left), 0);
		CHECK_EQUAL(flow_table_count(&table, &counts), 0);
		CHECK_EQUAL(total.packets[0], packets);
		CHECK_EQUAL(total.bytes[0], packets * (made.ip_bytes + TCP_BYTES) + PAYLOAD);
		CHECK_EQUAL(counts.of[FLOWS_COUNTED], packets);
	}
	if (program >= 0)
		close(program);
	flow_table_close(&table);
}

TEST(flows_count_a_packet_as_it_was_sent)
{
	check_counts(4, 0);
	check_counts(6, 0);
}

TEST(flows_count_a_merged_packet_as_those_of_the_wire)
{
	check_counts(4, SEGMENTS);
	check_counts(6, SEGMENTS);
}
