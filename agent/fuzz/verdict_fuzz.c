// SPDX-License-Identifier: Apache-2.0
/*
 * The same frames to both sinks: to the program in the kernel, by BPF_PROG_TEST_RUN, and to the
 * ring's filter and the accounts of this process. Both have to count the same. Needs CAP_BPF.
 */
#include "bpf/sink.h"
#include "bpf/wraps.h"
#include "count/account.h"
#include "fuzz/made_frame.h"
#include "kernel/bpf.h"
#include "port/filter.h"
#include "time/clock.h"
#include "udp/xdp.h"

#include <errno.h>
#include <linux/bpf.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FLOWS 4
#define RUN 7
#define FRAMES_MAX 40
#define LEDGER 200

/* One of each family, with ports or without, with tags or without; cleared for every input. */
struct pair {
	struct sink sink;
	int32_t port[2];
	struct xdp xdp;
	int filter[2]; /* a frame written to the second comes out of the first, or not */
};

static struct pair pairs[2][2][2];
static const struct siphash_key tag = { 1, 2 };

static struct tally_options options = { .run = RUN,
					.flows = FLOWS,
					.bin_ns = NS_PER_S,
					.bins = 4,
					.delay = true,
					.ledger = LEDGER,
					.silence_ns = NS_PER_S,
					.queues = 1 };

static void open_pair(struct pair *pair, int family, bool ports, bool keyed)
{
	struct fault fault = { 0 };
	int error;

	pair->port[0] = MADE_PORT - 1;
	pair->port[1] = MADE_PORT + 1;
	options.keyed = keyed;
	pair->sink = (struct sink){ .family = family, .options = options, .key = tag };
	pair->sink.ports = (struct integers){ ports ? 2 : 0, pair->port };
	xdp_clear(&pair->xdp);
	error = xdp_open(&pair->xdp, &pair->sink, 1, &fault);
	if (error == -EPERM || error == -ENOSYS) {
		printf("SKIP %s; %s\n", fault.reason, fault.fix);
		exit(EXIT_SUCCESS);
	}
	if (error)
		fprintf(stderr, "%s\n", fault.reason);
	REQUIRE(!error);
	tally_close(&pair->xdp.tally); /* each input has its own */
	/* A socket's filter sees what is written to it as a packet socket's sees a frame. */
	REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair->filter) ==
		0);
	REQUIRE(filter_attach_ports(pair->filter[0], family, ports ? MADE_PORT - 1 : 0,
				    ports ? MADE_PORT + 1 : UINT16_MAX) == 0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	for (int family = 0; family < 2; family++)
		for (int ports = 0; ports < 2; ports++)
			for (int keyed = 0; keyed < 2; keyed++)
				open_pair(&pairs[family][ports][keyed], family ? 6 : 4, ports,
					  keyed);
	return 0;
}

static void clear(struct pair *pair)
{
	struct xdp *xdp = &pair->xdp;

	for (int i = 0; i < XDP_MAPS; i++)
		if (i != XDP_CONFIG)
			memset(xdp->memory[i], 0,
			       (size_t)xdp->map[i].value_bytes * xdp->map[i].entries);
}

static void run_program(const struct pair *pair, const struct made_frame *made)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.test.prog_fd = (uint32_t)pair->xdp.program;
	attributes.test.data_in = (uint64_t)(uintptr_t)made->bytes;
	attributes.test.data_size_in = (uint32_t)made->length;
	REQUIRE(syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attributes, sizeof(attributes)) == 0);
}

/* Whether a ring would get it: of the bound type, and let through by the filter. */
static bool reaches_ring(const struct pair *pair, const struct made_frame *made)
{
	uint16_t type = be16_load(made->bytes + 12);
	uint8_t byte;

	if (type != (pair->sink.family == 4 ? 0x0800 : 0x86dd))
		return false;
	REQUIRE(send(pair->filter[1], made->bytes, made->length, 0) == (ssize_t)made->length);
	return recv(pair->filter[0], &byte, 1, MSG_TRUNC) == (ssize_t)made->length;
}

/* The kernel marks a sum that a device was to complete (CHECKSUM_PARTIAL), and the ring takes it. */
static bool is_partial(const struct made_frame *made)
{
	const uint8_t *udp = made->bytes + frame_udp_at(made);

	return be16_load(udp + 6) == checksum_fold(frame_pseudo_sum(made) + be16_load(udp + 4));
}

/* The window here is the wider one: of what only it remembers the two say different things. */
WRAPS static bool only_here(const struct account *account, const struct arrival *arrival)
{
	const struct header *header = &arrival->header;
	int64_t behind;

	if (arrival->kind != ARRIVAL_TEST || header->flow >= FLOWS || header->sequence < LEDGER)
		return false;
	behind = (int32_t)((uint32_t)account->window[header->flow].highest - header->sequence);
	return behind >= SINK_WINDOW && behind < WINDOW_NUMBERS;
}

static const struct siphash_key *key_of(const struct pair *pair)
{
	return pair->sink.options.keyed ? &tag : NULL;
}

static void count_both(const struct pair *pair, struct account *account,
		       const struct made_frame *made)
{
	uint8_t *copy = input_copy((struct input){ made->bytes, made->length });
	struct arrival arrival = { .time_ns = clock_now() };
	bool here = reaches_ring(pair, made);

	if (here)
		parse_frame(&arrival, copy, made->length, made->length, is_partial(made),
			    key_of(pair));
	if (!here || !only_here(account, &arrival))
		run_program(pair, made);
	if (here && !only_here(account, &arrival))
		account_add(account, &arrival);
	free(copy);
}

static bool equal(const char *name, uint64_t kernel, uint64_t here)
{
	if (kernel != here)
		fprintf(stderr, "%s: %llu in the kernel, %llu here\n", name,
			(unsigned long long)kernel, (unsigned long long)here);
	return kernel == here;
}

#define SAME(member) same &= equal(#member, (uint64_t)kernel->member, (uint64_t)here->member)

#define SAME_COUNT(name) SAME(name);

static bool same_flow(const struct tally_flow *kernel, const struct tally_flow *here)
{
	bool same = true;

	FLOW_COUNTERS(SAME_COUNT, SAME_COUNT)
	return same;
}

#define SAME_CORRUPT(name) SAME(corrupt_by.name);

static void compare(const struct tally *kernel, const struct tally *here)
{
	bool same = true;

	SINK_COUNTERS(SAME_COUNT, SINK_LEFT)
	CORRUPT_BY_COUNTERS(SAME_CORRUPT, SINK_LEFT)
	SAME(delay.total);
	for (uint32_t i = 0; i < FLOWS; i++)
		same &= same_flow(&kernel->flow[i], &here->flow[i]);
	for (int i = 0; i < TALLY_LATE_BUCKETS; i++)
		SAME(late[i]);
	for (uint32_t i = 0; i < FLOWS * tally_words(&options); i++)
		SAME(ledger[i]);
	REQUIRE(same);
}

/* Near the one before, or where both windows have forgotten. */
WRAPS static uint32_t next_number(uint32_t sequence, uint8_t step)
{
	static const uint32_t far[] = { 5000, 1u << 20, 1u << 30, 1u << 31 };

	if (step & 128)
		return sequence + (step & 64 ? 1u : -1u) * far[step % 4];
	return sequence + step % 16 - 4u;
}

static void make(struct pair *pair, struct input *input, struct made_frame *made,
		 uint32_t *sequence)
{
	uint8_t how = input_8(input);
	struct header header;

	if (how == 255) {
		frame_raw(made, input);
		return;
	}
	*sequence = next_number(*sequence, input_8(input));
	/* A flow too many; now and then another run, the other family, or no tag. */
	header = frame_header(input, how % 16 == 15 ? RUN + 1 : RUN, FLOWS + 1);
	header.sequence = *sequence;
	frame_make(made, input, how % 32 == 31 ? 10 - pair->sink.family : pair->sink.family,
		   &header, how % 64 == 62 ? NULL : key_of(pair));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_frame made;
	static struct account account;
	struct input input = { data, size };
	uint8_t flags = input_8(&input);
	struct pair *pair = &pairs[flags & 1][flags >> 1 & 1][flags >> 3 & 1];
	uint32_t sequence = flags & 4 ? input_32(&input) : 0;
	uint64_t t0_ns = clock_now();
	const struct tally *kernel;
	struct fault fault;

	options = pair->sink.options;
	clear(pair);
	REQUIRE(account_open(&account, &options, &fault) == 0);
	REQUIRE(tally_open(&pair->xdp.tally, &options, &fault) == 0);
	account_start(&account, t0_ns);
	xdp_start(&pair->xdp, t0_ns);
	for (int i = 0; input.left && i < FRAMES_MAX; i++) {
		make(pair, &input, &made, &sequence);
		if (made.length < ETHERNET_BYTES) /* the kernel runs no program on less */
			continue;
		count_both(pair, &account, &made);
	}
	kernel = xdp_read(&pair->xdp);
	account.tally.gaps_over_1ms = kernel->gaps_over_1ms; /* each by a clock of its own */
	compare(kernel, &account.tally);
	account_close(&account);
	tally_close(&pair->xdp.tally);
	return 0;
}
