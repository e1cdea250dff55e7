// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What sink.bpf.c and the agent (agent/src/udp/xdp.c) share. All numbers are in the host's byte
 * order; all maps are arrays that the agent maps into its memory (BPF_F_MMAPABLE, Linux 5.5).
 * Kernel floor: Linux 5.9, for attaching XDP by a link that ends with its process.
 */
#ifndef GM_SINK_BPF_H
#define GM_SINK_BPF_H

#include "bound.h"
#include "counters.h"
#include "siphash.h"
#include "wraps.h"

/* The program's section. */
#define SINK_SECTION "xdp"

/* Maps. */
#define SINK_CONFIG "sink_config" /* one struct sink_config; written by the agent */
#define SINK_QUEUE "sink_queue" /* struct sink_queue, one for each receive queue */
#define SINK_BIN "sink_bin" /* struct sink_bin; bin b of queue q is q * bins + b */
#define SINK_FLOW "sink_flow" /* struct sink_flow, one for each flow */
#define SINK_LEDGER                                                                                \
	"sink_ledger" /* 64 bits each: numbers that have come; word w of flow f is f * words + w */
#define SINK_SILENCE "sink_silence" /* struct sink_silence; silence s of queue q is q * 256 + s */
#define SINK_FLOW_DELAY "sink_flow_delay" /* struct sink_histogram, for each flow, or one unused */

/* Constants: the verifier follows no way that a trial cannot take. */
#define SINK_FAMILY "sink_family" /* 4 or 6 */
#define SINK_KEYED "sink_keyed" /* 1: headers are tagged */
#define SINK_DELAY "sink_delay" /* enum sink_delay */

/* Buckets of count/histogram.h. */
#define SINK_BUCKETS 1024

#define SINK_SILENCES 256 /* that are kept of a queue */
#define SINK_LATE_BUCKETS 32 /* powers of two of how far a packet is behind the highest number */

struct sink_histogram {
	__u64 total, most;
	__u64 count[SINK_BUCKETS];
};

enum sink_delay { SINK_DELAY_NONE, SINK_DELAY_TOTAL, SINK_DELAY_FLOW };

struct sink_config {
	__u64 t0_ns; /* where bin 0 begins; SINK_NOT_BEGUN until the start */
	__u64 bin_ns;
	__u64 clock_ns; /* this host's clock less the sender's, modulo 2^40 */
	__u64 silence_ns; /* a longer time without an arrival is kept */
	__u32 bins; /* of a queue */
	__u32 run;
	__u16 port_low, port_high; /* UDP ports that are ours */
	__u32 every_port; /* 1: packets without a test header are foreign and go on */
	__u32 zero; /* 0, which the verifier does not know */
	__u32 ledger; /* numbers of each flow that are kept; 0: none */
	__u32 words; /* of each flow, in the ledger */
	__u32 mark; /* DSCP that packets were sent with */
	struct bound bound;
	struct siphash_key key;
};

#define SINK_NOT_BEGUN (~0ull)

#define SINK_FIELD(name) __u64 name;
#define SINK_LEFT(name) /* no counter of the program's */

/* As struct tally's (agent/src/count/tally.h). */
struct sink_queue {
	SINK_COUNTERS(SINK_FIELD, SINK_LEFT)
	CORRUPT_BY_COUNTERS(SINK_FIELD, SINK_LEFT)
	__u64 first_ns, last_ns;
	__u64 delay_negative;
	__u64 silences, silent_ns;
	__u64 late[SINK_LATE_BUCKETS];
	__u64 bin, bin_end_ns; /* the latest arrival's; bin_end_ns 0: none yet */
	struct sink_histogram gap, delay;
};

struct sink_silence {
	__u64 t_ns, ns; /* begin and length */
};

struct sink_bin {
	__u64 packets;
	__u64 delay_sum_ns, delay_max_ns;
};

/*
 * The duplicate window: a bit for each number; number n has bit n % SINK_WINDOW_BITS. A word is
 * cleared when the highest number enters it (RFC 6479), so all but one word's worth of numbers
 * below the highest are known.
 */
#define SINK_WINDOW_BITS 1024
#define SINK_WINDOW_WORDS (SINK_WINDOW_BITS / 64)
#define SINK_WINDOW (SINK_WINDOW_BITS - 64) /* numbers that are distinguished */
#define SINK_LEAP SINK_WINDOW /* count/window.h's WINDOW_LEAP */

struct sink_flow {
	__u64 next; /* highest number + 1, counting on where the 32-bit sequence wraps; 0: none */
	__u64 leap; /* a number that leapt + 1, if it was the last one; 0: it was none */
	FLOW_COUNTERS(SINK_FIELD, SINK_LEFT)
	__u64 source_port; /* of the first packet */
	__u64 seen[SINK_WINDOW_WORDS];
};

enum sink_verdict { SINK_AHEAD, SINK_LATE, SINK_DUPLICATE, SINK_STALE };

/*
 * `by` where a value is above `most`, else 0, without a branch: the verifier would follow both ways
 * of each to the end. Both are below 2^63. The empty assembly keeps the compiler from one.
 */
WRAPS static inline __attribute__((always_inline)) __u64 sink_above(__u64 value, __u64 most,
								    __u64 by)
{
	__u64 less = most - value;

	asm volatile("" : "+r"(less));
	less = (__u64)((__s64)less >> 63);
	asm volatile("" : "+r"(less));
	return less & by;
}

static inline __attribute__((always_inline)) void sink_window_set(struct sink_flow *flow,
								  __u64 number)
{
	flow->seen[number / 64 % SINK_WINDOW_WORDS] |= 1ull << number % 64;
}

/* Goes on to a number, higher than all before: clears the words that begin on the way. */
static inline __attribute__((always_inline)) void sink_window_advance(struct sink_flow *flow,
								      __u64 number)
{
	__u64 first = (flow->next + 63) / 64, words = number / 64 + 1 - first;

	if (words)
		for (__u64 i = 0; i < SINK_WINDOW_WORDS; i++)
			flow->seen[(first + i) % SINK_WINDOW_WORDS] &= ~sink_above(words, i, ~0ull);
	flow->next = number + 1;
	sink_window_set(flow, number);
}

/*
 * Takes a number in, as window_add() of agent/src/count/window.h does, whose oracle it is in tests.
 * Of two numbers in a row that leap it goes on to the lower, and from there, if that is no leap any
 * more, to the higher: at once, so that the verifier follows one way on.
 */
WRAPS static inline __attribute__((always_inline)) enum sink_verdict
sink_window_add(struct sink_flow *flow, __u32 sequence)
{
	__u64 highest = flow->next - 1, number = sequence, lower, bit, *word;
	enum sink_verdict verdict = SINK_AHEAD;
	__u64 other = flow->leap;

	/* Serial number arithmetic (RFC 1982): the nearest number with these low 32 bits. */
	if (flow->next)
		number = highest + (__u64)(__s64)(__s32)(sequence - (__u32)highest);
	lower = number;
	flow->leap = 0;
	if ((__s64)(number - highest) > SINK_LEAP) {
		if (!other) {
			flow->leap = number + 1;
			return SINK_AHEAD;
		}
		other--;
		lower = number - sink_above(number, other, number - other);
		number = other + (number - lower);
		if (number == lower)
			verdict = SINK_DUPLICATE;
		if (number - lower > SINK_LEAP) {
			flow->leap = number + 1;
			number = lower;
		}
	} else if ((__s64)(number - highest) <= 0) {
		if ((__s64)number < 0 || highest - number >= SINK_WINDOW)
			return SINK_STALE;
		word = &flow->seen[number / 64 % SINK_WINDOW_WORDS];
		bit = 1ull << number % 64;
		verdict = *word & bit ? SINK_DUPLICATE : SINK_LATE;
		*word |= bit;
		return verdict;
	}
	sink_window_advance(flow, number);
	if (lower != number)
		sink_window_set(flow, lower);
	return verdict;
}

/*
 * Enters a number into its word of the ledger. What the window has forgotten, or not followed, is
 * known there.
 */
static inline __attribute__((always_inline)) enum sink_verdict
sink_ledger_add(__u64 *word, __u32 sequence, enum sink_verdict verdict)
{
	__u64 bit = 1ull << sequence % 64;

	if (*word & bit)
		verdict = SINK_DUPLICATE;
	else if (verdict == SINK_STALE)
		verdict = SINK_LATE;
	*word |= bit;
	return verdict;
}

/*
 * The power of two below a value, or of it; 0 of 0. All bits below the highest are set and counted.
 * It has no branch, each way of which the verifier would follow to the end.
 */
static inline __attribute__((always_inline)) __u32 sink_log2(__u32 value)
{
	for (__u32 step = 1; step <= 16; step <<= 1)
		value |= value >> step;
	value >>= 1; /* as many bits as the logarithm says */
	value -= value >> 1 & 0x55555555;
	value = (value & 0x33333333) + (value >> 2 & 0x33333333);
	value = (value + (value >> 4)) & 0x0f0f0f0f;
	return value * 0x01010101 >> 24;
}

/* The bucket of a value: histogram_bucket() of count/histogram.h, where clz is a dozen steps. */
static inline __attribute__((always_inline)) __u32 sink_bucket(__u64 value)
{
	__u32 shift;

	if (value >> 36)
		return SINK_BUCKETS - 1;
	/* So far that the highest bit comes down to bit 5. */
	shift = sink_log2((__u32)(value >> 5));
	return (shift << 5) + (__u32)(value >> shift);
}

#endif
