// SPDX-License-Identifier: Apache-2.0
/* Bookkeeping of arrivals. */
#include "lib/account.h"
#include "lib/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Zeroed and touched: a page fault in a measured loop would cost as much as ten packets. */
static void *take(size_t count, size_t bytes)
{
	void *memory = NULL;

	if (!__builtin_mul_overflow(count, bytes, &bytes))
		memory = malloc(bytes);
	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

int account_open(struct account *account, const struct account_options *options,
		 struct fault *fault)
{
	memset(account, 0, sizeof(*account));
	account->options = *options;
	account->flow = take(options->flows, sizeof(*account->flow));
	if (!account->flow)
		return fault_system(fault, -ENOMEM, "flows", "memory for the flows");
	for (uint32_t i = 0; i < options->flows; i++)
		window_begin(&account->flow[i].window);
	account->rate = take(options->bins, sizeof(*account->rate));
	if (!account->rate)
		return fault_system(fault, -ENOMEM, "bins", "memory for the bins");
	if (!options->delay_by_flow)
		return 0;
	account->flow_delay = take(options->flows, sizeof(*account->flow_delay));
	if (!account->flow_delay)
		return fault_system(fault, -ENOMEM, "delay", "memory for each flow's delays");
	return 0;
}

void account_close(struct account *account)
{
	free(account->flow);
	free(account->rate);
	free(account->flow_delay);
}

void account_start(struct account *account, uint64_t t0_ns)
{
	account->t0_ns = t0_ns;
	account->bin_end_ns = t0_ns + account->options.bin_ns;
}

/* The bin only changes at its ends, so arrivals in order need no division. */
static void add_rate(struct account *account, uint64_t time_ns)
{
	uint64_t bin;

	if (time_ns >= account->bin_end_ns ||
	    time_ns < account->bin_end_ns - account->options.bin_ns) {
		bin = time_ns < account->t0_ns
			      ? 0
			      : (time_ns - account->t0_ns) / account->options.bin_ns;
		account->bin_end_ns = account->t0_ns + (bin + 1) * account->options.bin_ns;
		account->bin = bin < account->options.bins ? (uint32_t)bin
							   : account->options.bins - 1;
	}
	account->rate[account->bin]++;
}

static void add_time(struct account *account, uint64_t time_ns)
{
	if (!account->first_ns) {
		account->first_ns = time_ns;
	} else {
		/* Two receive queues may deliver a little out of order: no gap then. */
		uint64_t gap = time_ns > account->last_ns ? time_ns - account->last_ns : 0;

		histogram_add(&account->gap, gap);
		if (gap > NS_PER_MS)
			account->gaps_over_1ms++;
	}
	if (time_ns > account->last_ns)
		account->last_ns = time_ns;
	add_rate(account, time_ns);
}

static void add_delay(struct account *account, const struct arrival *arrival)
{
	int64_t delay = header_delay(&arrival->header, arrival->time_ns);

	if (delay < 0) {
		account->delay_negative++;
		delay = 0;
	}
	histogram_add(&account->delay, (uint64_t)delay);
	if (account->flow_delay)
		histogram_add(&account->flow_delay[arrival->header.flow], (uint64_t)delay);
}

static void add_unique(struct account *account, struct account_flow *flow,
		       const struct arrival *arrival)
{
	account->unique++;
	flow->unique++;
	account->bytes += arrival->frame_bytes;
	if (account->options.delay)
		add_delay(account, arrival);
}

/* Of a number that comes twice only the first counts for order (RFC 4737 section 3.3). */
static void add_test(struct account *account, const struct arrival *arrival)
{
	struct account_flow *flow = &account->flow[arrival->header.flow];

	account->received++;
	add_time(account, arrival->time_ns);
	if (flow->window.highest < 0)
		flow->source_port = arrival->source_port;
	switch (window_add(&flow->window, arrival->header.sequence)) {
	case WINDOW_LATE:
		account->reordered++;
		flow->reordered++;
		/* fall through */
	case WINDOW_AHEAD:
		add_unique(account, flow, arrival);
		break;
	case WINDOW_DUPLICATE:
		account->duplicated++;
		flow->duplicated++;
		break;
	case WINDOW_STALE:
		account->stale++;
		account->reordered++;
		flow->reordered++;
		break;
	}
}

void account_add(struct account *account, const struct arrival *arrival)
{
	const struct header *header = &arrival->header;

	if (arrival->kind == ARRIVAL_CORRUPT)
		account->corrupt++;
	else if (arrival->kind == ARRIVAL_FOREIGN || header->run != account->options.run ||
		 header->flow >= account->options.flows)
		account->foreign++;
	else
		add_test(account, arrival);
}
