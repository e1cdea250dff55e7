// SPDX-License-Identifier: Apache-2.0
/* Accounting for arrivals. */
#include "count/account.h"
#include "bpf/wraps.h"
#include "frame/mark.h"
#include "frame/tagged.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int account_open(struct account *account, const struct tally_options *options, struct fault *fault)
{
	struct tally_options own = *options;
	int error;

	own.queues = 1;
	memset(account, 0, sizeof(*account));
	error = tally_open(&account->tally, &own, fault);
	if (error)
		return error;
	if (own.ledger) {
		account->ledger =
			tally_take((size_t)own.flows * tally_words(&own), sizeof(*account->ledger));
		if (!account->ledger)
			return fault_system(fault, -ENOMEM, "ledger", "memory for the ledger");
		account->tally.ledger = account->ledger;
	}
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
	free(account->ledger);
	account->window = NULL;
	account->ledger = NULL;
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
	struct tally_queue *queue = tally->queue;

	if (!tally->first_ns) {
		queue->first_ns = tally->first_ns = time_ns;
	} else {
		/* Two receive queues may deliver a little out of order: no gap then. */
		uint64_t gap = time_ns > tally->last_ns ? time_ns - tally->last_ns : 0;

		histogram_add(&tally->gap, gap);
		if (gap > NS_PER_MS)
			tally->gaps_over_1ms++;
		if (gap > tally->options.silence_ns)
			spans_add(&queue->silences, tally->last_ns, gap);
	}
	if (time_ns > tally->last_ns)
		queue->last_ns = tally->last_ns = time_ns;
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

/* The verdict of the window, or the ledger's where the window has passed or did not follow. */
static enum window_verdict take_number(struct account *account, const struct header *header)
{
	const struct tally_options *options = &account->tally.options;
	enum window_verdict verdict = window_add(&account->window[header->flow], header->sequence);
	uint64_t bit = 1ull << header->sequence % 64, *word;

	if (header->sequence >= options->ledger)
		return verdict;
	word = &account->ledger[(size_t)header->flow * tally_words(options) +
				header->sequence / 64];
	if (*word & bit)
		verdict = WINDOW_DUPLICATE;
	else if (verdict == WINDOW_STALE)
		verdict = WINDOW_LATE;
	*word |= bit;
	return verdict;
}

/* Below the highest number: by how much (RFC 4737 section 4.2). */
WRAPS static void add_reordered(struct account *account, const struct header *header)
{
	uint32_t highest = (uint32_t)account->window[header->flow].highest;
	uint32_t behind = highest - header->sequence;

	account->tally.reordered++;
	account->tally.flow[header->flow].reordered++;
	account->tally.late[behind ? 31 - __builtin_clz(behind) : 0]++;
}

/* Of a number that comes twice only the first arrival counts for order (RFC 4737 section 3.3). */
WRAPS static void add_test(struct account *account, const struct arrival *arrival)
{
	struct tally *tally = &account->tally;
	struct tally_flow *flow = &tally->flow[arrival->header.flow];
	struct window *window = &account->window[arrival->header.flow];
	uint64_t by_sender_ns = arrival->time_ns - tally->options.clock_ns;
	int64_t delay_ns = header_delay(&arrival->header, by_sender_ns,
					tally->options.keyed ? TAG_TIME_BITS : HEADER_TIME_BITS);
	enum window_verdict verdict;

	tally->received++;
	tally->mark_changed += arrival->mark != MARK_UNKNOWN &&
			       arrival->mark != tally->options.mark;
	add_time(tally, arrival->time_ns);
	add_bin(account, arrival->time_ns, delay_ns < 0 ? 0 : (uint64_t)delay_ns);
	if (flow->highest < 0)
		flow->source_port = arrival->source_port;
	tally->port_changed += arrival->source_port != flow->source_port;
	verdict = take_number(account, &arrival->header);
	flow->highest = window->highest; /* a duplicate of a number that leapt moves it, too */
	switch (verdict) {
	case WINDOW_LATE:
		add_reordered(account, &arrival->header);
		/* fall through */
	case WINDOW_AHEAD:
		add_unique(tally, arrival, delay_ns);
		break;
	case WINDOW_DUPLICATE:
		tally->duplicated++;
		flow->duplicated++;
		break;
	case WINDOW_STALE:
		tally->stale++;
		add_reordered(account, &arrival->header);
		break;
	}
}

/* False: its checksums are right. */
static bool add_corrupt(struct tally *tally, enum arrival_kind kind)
{
	if (kind == ARRIVAL_IP_SUM)
		tally->corrupt_by.ip_sum++;
	else if (kind == ARRIVAL_UDP_SUM)
		tally->corrupt_by.udp_sum++;
	else if (kind == ARRIVAL_NO_SUM)
		tally->corrupt_by.no_sum++;
	else
		return false;
	tally->corrupt++;
	return true;
}

/* Whether the trial's sender can have made such a header by now. */
static bool is_possible(struct tally *tally, const struct arrival *arrival)
{
	const struct tally_options *options = &tally->options;
	const struct header *header = &arrival->header;

	if (header->flow >= options->flows || (!options->keyed && header->run != options->run))
		return false;
	if (bound_holds(&options->bound, header->sequence, arrival->time_ns - tally->t0_ns))
		return true;
	tally->beyond++;
	return false;
}

/*
 * Whether a foreign packet may be one of the trial's that something has written into. Of a wrong tag
 * that is so where the rest is as it would be: chance does not make that.
 */
static bool is_altered(const struct tally *tally, const struct arrival *arrival)
{
	const struct tally_options *options = &tally->options;

	if (arrival->kind != ARRIVAL_FORGED)
		return arrival->kind == ARRIVAL_TEST;
	return arrival->header.flow < options->flows &&
	       bound_holds(&options->bound, arrival->header.sequence,
			   arrival->time_ns - tally->t0_ns);
}

void account_add(struct account *account, const struct arrival *arrival)
{
	struct tally *tally = &account->tally;
	if (add_corrupt(tally, arrival->kind))
		return;
	if (arrival->kind == ARRIVAL_TEST && is_possible(tally, arrival)) {
		add_test(account, arrival);
		return;
	}
	tally->foreign++;
	tally->corrupt_by.header += is_altered(tally, arrival);
}
