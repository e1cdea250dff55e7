// SPDX-License-Identifier: Apache-2.0
/* Accounting for arrivals. */
#include "count/account.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int account_open(struct account *account, const struct tally_options *options, struct fault *fault)
{
	int error;

	memset(account, 0, sizeof(*account));
	error = tally_open(&account->tally, options, fault);
	if (error)
		return error;
	account->window = tally_take(options->flows, sizeof(*account->window));
	if (!account->window)
		return fault_system(fault, -ENOMEM, "flows", "memory for the flows");
	for (uint32_t i = 0; i < options->flows; i++)
		window_begin(&account->window[i]);
	return 0;
}

void account_close(struct account *account)
{
	tally_close(&account->tally);
	free(account->window);
	account->window = NULL;
}

void account_start(struct account *account, uint64_t t0_ns)
{
	account->tally.t0_ns = t0_ns;
	account->bin_end_ns = t0_ns + account->tally.options.bin_ns;
}

/* The bin only changes at its ends, so arrivals in order need no division. */
static struct tally_bin *bin_of(struct account *account, uint64_t time_ns)
{
	const struct tally *tally = &account->tally;
	uint64_t width_ns = tally->options.bin_ns, bin;

	if (time_ns >= account->bin_end_ns || time_ns < account->bin_end_ns - width_ns) {
		bin = time_ns < tally->t0_ns ? 0 : (time_ns - tally->t0_ns) / width_ns;
		account->bin_end_ns = tally->t0_ns + (bin + 1) * width_ns;
		account->bin = bin < tally->options.bins ? (uint32_t)bin : tally->options.bins - 1;
	}
	return &tally->bin[account->bin];
}

static void add_time(struct tally *tally, uint64_t time_ns)
{
	if (!tally->first_ns) {
		tally->first_ns = time_ns;
	} else {
		/* Two receive queues may deliver a little out of order: no gap then. */
		uint64_t gap = time_ns > tally->last_ns ? time_ns - tally->last_ns : 0;

		histogram_add(&tally->gap, gap);
		if (gap > NS_PER_MS)
			tally->gaps_over_1ms++;
	}
	if (time_ns > tally->last_ns)
		tally->last_ns = time_ns;
}

static void add_bin(struct account *account, uint64_t time_ns, uint64_t delay_ns)
{
	struct tally_bin *bin = bin_of(account, time_ns);

	bin->packets++;
	bin->delay_sum_ns += delay_ns;
	if (delay_ns > bin->delay_max_ns)
		bin->delay_max_ns = delay_ns;
}

static void add_unique(struct tally *tally, const struct arrival *arrival, int64_t delay_ns)
{
	uint64_t delay = delay_ns < 0 ? 0 : (uint64_t)delay_ns;

	tally->unique++;
	tally->flow[arrival->header.flow].unique++;
	tally->bytes += arrival->frame_bytes;
	if (!tally->options.delay)
		return;
	tally->delay_negative += delay_ns < 0;
	histogram_add(&tally->delay, delay);
	if (tally->flow_delay)
		histogram_add(&tally->flow_delay[arrival->header.flow], delay);
}

/* Of a number that comes twice only the first arrival counts for order (RFC 4737 section 3.3). */
static void add_test(struct account *account, const struct arrival *arrival)
{
	struct tally *tally = &account->tally;
	struct tally_flow *flow = &tally->flow[arrival->header.flow];
	struct window *window = &account->window[arrival->header.flow];
	uint64_t by_sender_ns = arrival->time_ns - tally->options.clock_ns;
	int64_t delay_ns = header_delay(&arrival->header, by_sender_ns);

	tally->received++;
	add_time(tally, arrival->time_ns);
	add_bin(account, arrival->time_ns, delay_ns < 0 ? 0 : (uint64_t)delay_ns);
	if (flow->highest < 0)
		flow->source_port = arrival->source_port;
	switch (window_add(window, arrival->header.sequence)) {
	case WINDOW_LATE:
		tally->reordered++;
		flow->reordered++;
		/* fall through */
	case WINDOW_AHEAD:
		flow->highest = window->highest;
		add_unique(tally, arrival, delay_ns);
		break;
	case WINDOW_DUPLICATE:
		tally->duplicated++;
		flow->duplicated++;
		break;
	case WINDOW_STALE:
		tally->stale++;
		tally->reordered++;
		flow->reordered++;
		break;
	}
}

void account_add(struct account *account, const struct arrival *arrival)
{
	const struct header *header = &arrival->header;
	struct tally *tally = &account->tally;

	if (arrival->kind == ARRIVAL_CORRUPT)
		tally->corrupt++;
	else if (arrival->kind == ARRIVAL_FOREIGN || header->run != tally->options.run ||
		 header->flow >= tally->options.flows)
		tally->foreign++;
	else
		add_test(account, arrival);
}
