// SPDX-License-Identifier: Apache-2.0
/*
 * Any sequence of numbers: the accounts with and without a ledger, against a list of all numbers
 * that came; and the window of the program in the kernel against the same.
 */
#include "bpf/sink.h"
#include "bpf/wraps.h"
#include "count/account.h"
#include "fuzz/fuzz.h"

#define LEDGER 100 /* not a multiple of 64 */
#define NUMBERS_MAX 512 /* each is noted once */

/* What came and was followed, in order: the slow and plain way. */
struct oracle {
	int64_t number[NUMBERS_MAX];
	size_t count;
	int64_t highest; /* -1: none */
	int64_t leap; /* the number before, if it was far ahead; -1: it was not */
};

/* RFC 1982: the nearest number with these low 32 bits. */
static int64_t whole_number(const struct oracle *oracle, uint32_t sequence)
{
	int64_t turn = 1ll << 32;
	int64_t best = sequence;

	if (!oracle->count)
		return sequence;
	for (int64_t n = oracle->highest / turn - 1; n <= oracle->highest / turn + 1; n++) {
		int64_t number = n * turn + sequence;
		int64_t away = number - oracle->highest, least = best - oracle->highest;

		/* Exactly half a turn away it counts as below. */
		if (llabs(away) < llabs(least) || (llabs(away) == llabs(least) && away < least))
			best = number;
	}
	return best;
}

static bool has(const struct oracle *oracle, int64_t number)
{
	for (size_t i = 0; i < oracle->count; i++)
		if (oracle->number[i] == number)
			return true;
	return false;
}

static bool leaps(const struct oracle *oracle, int64_t number)
{
	return number - oracle->highest > WINDOW_LEAP;
}

/* The verdict by a window of so many numbers. */
static enum window_verdict verdict_of(const struct oracle *oracle, int64_t number, int64_t width)
{
	if (number > oracle->highest)
		return leaps(oracle, number) && number == oracle->leap ? WINDOW_DUPLICATE
								       : WINDOW_AHEAD;
	if (number < 0 || oracle->highest - number >= width)
		return WINDOW_STALE;
	return has(oracle, number) ? WINDOW_DUPLICATE : WINDOW_LATE;
}

static void follow(struct oracle *oracle, int64_t number)
{
	if (number > oracle->highest)
		oracle->highest = number;
	oracle->number[oracle->count++] = number;
}

/* Two in a row that are far ahead are no strays: it goes on to the lower one. */
static void note(struct oracle *oracle, int64_t number)
{
	int64_t other = oracle->leap;

	if (!leaps(oracle, number)) {
		oracle->leap = -1;
		follow(oracle, number);
	} else if (other < 0) {
		oracle->leap = number;
	} else {
		oracle->leap = -1;
		follow(oracle, number < other ? number : other);
		if (number != other)
			note(oracle, number < other ? other : number);
	}
}

static enum window_verdict of_kernel(enum sink_verdict verdict)
{
	static const enum window_verdict same[] = { [SINK_AHEAD] = WINDOW_AHEAD,
						    [SINK_LATE] = WINDOW_LATE,
						    [SINK_DUPLICATE] = WINDOW_DUPLICATE,
						    [SINK_STALE] = WINDOW_STALE };

	return same[verdict];
}

static void check_tally(const struct tally *tally)
{
	const struct tally_flow *flow = tally->flow;

	REQUIRE(tally->received == tally->unique + tally->duplicated + tally->stale);
	REQUIRE(flow->unique == tally->unique && flow->duplicated == tally->duplicated);
	REQUIRE(flow->reordered == tally->reordered && tally->reordered >= tally->stale);
	REQUIRE(tally->delay.total == tally->unique);
}

struct counting {
	struct oracle oracle;
	struct window window;
	struct sink_flow kernel;
	struct account account; /* with a ledger */
};

static void add(struct counting *counting, uint32_t sequence, uint64_t time_ns)
{
	struct oracle *oracle = &counting->oracle;
	int64_t number = whole_number(oracle, sequence);
	enum window_verdict wide = verdict_of(oracle, number, WINDOW_NUMBERS);
	enum window_verdict narrow = verdict_of(oracle, number, SINK_WINDOW);
	const struct arrival arrival = { .kind = ARRIVAL_TEST,
					 .frame_bytes = 64,
					 .time_ns = time_ns,
					 .header = { .sequence = sequence } };

	REQUIRE(window_add(&counting->window, sequence) == wide);
	REQUIRE(of_kernel(sink_window_add(&counting->kernel, sequence)) == narrow);
	account_add(&counting->account, &arrival);
	if (wide != WINDOW_STALE) /* what is stale is in no window */
		note(oracle, number);
	else
		oracle->leap = -1;
	REQUIRE(counting->window.highest == oracle->highest);
	check_tally(&counting->account.tally);
}

/* Small steps both ways; about the windows' width; or any. */
WRAPS static uint32_t next_number(uint32_t sequence, uint8_t step, struct input *input)
{
	if (step < 160)
		return sequence + step - 64u;
	if (step < 224)
		return sequence + (step & 32 ? 1u : -1u) * input_16(input);
	return input_32(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct counting counting;
	const struct tally_options options = { .flows = 1,
					       .bin_ns = 1000,
					       .bins = 3,
					       .ledger = LEDGER,
					       .delay = true,
					       .silence_ns = 2000 };
	struct input input = { data, size };
	uint32_t sequence = input_32(&input);
	uint64_t time_ns = 1;
	struct fault fault;

	memset(&counting, 0, sizeof(counting));
	window_begin(&counting.window);
	counting.oracle.highest = counting.oracle.leap = -1;
	REQUIRE(account_open(&counting.account, &options, &fault) == 0);
	account_start(&counting.account, 1);
	for (int i = 0; input.left && i < NUMBERS_MAX; i++) {
		uint8_t step = input_8(&input);

		sequence = next_number(sequence, step, &input);
		time_ns += step % 8 * 500;
		add(&counting, sequence, time_ns);
	}
	account_close(&counting.account);
	return 0;
}
