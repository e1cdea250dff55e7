// SPDX-License-Identifier: Apache-2.0
/* What a sink reports of the packets that did not come as they should (PROTOCOL.md, sink). */
#include "frame/order.h"
#include "udp/sink.h"

#define CORRUPT(name) line_count(line, #name, corrupt->name);

static void report_corrupt(struct line *line, const struct tally_corrupt *corrupt)
{
	line_object(line, "corrupt_by");
	CORRUPT_BY_COUNTERS(CORRUPT, CORRUPT)
	line_close(line, '}');
}

static void report_late(struct line *line, const uint64_t *late)
{
	line_object(line, "late");
	line_list(line, "low");
	for (uint32_t i = 0; i < TALLY_LATE_BUCKETS; i++)
		if (late[i])
			line_count(line, NULL, 1ull << i);
	line_close(line, ']');
	line_list(line, "count");
	for (uint32_t i = 0; i < TALLY_LATE_BUCKETS; i++)
		if (late[i])
			line_count(line, NULL, late[i]);
	line_close(line, ']');
	line_close(line, '}');
}

static void report_silences(struct line *line, const struct tally *tally)
{
	line_list(line, "silences");
	for (uint32_t i = 0; i < tally->options.queues; i++) {
		const struct tally_queue *queue = &tally->queue[i];

		if (!queue->first_ns)
			continue;
		line_object(line, NULL);
		line_count(line, "first_ns", queue->first_ns);
		line_count(line, "last_ns", queue->last_ns);
		spans_report(&queue->silences, line);
		line_close(line, '}');
	}
	line_close(line, ']');
}

/* Words of each flow up to the last that any flow has used. */
static uint32_t used_words(const struct tally *tally)
{
	uint32_t words = tally_words(&tally->options), used = 0;

	for (uint32_t flow = 0; flow < tally->options.flows; flow++) {
		const uint64_t *word = tally->ledger + (size_t)flow * words;

		for (uint32_t i = words; i > used; i--)
			if (word[i - 1])
				used = i;
	}
	return used;
}

/* Goes through the ledger as the sender went through the flows. */
struct walk {
	const struct tally *tally;
	struct order order;
	struct order_place place;
};

/* Whether each of the next 64 packets came, the first in bit 0. */
static uint64_t next_came(void *from)
{
	struct walk *walk = from;
	const struct order_place *place = &walk->place;
	size_t words = tally_words(&walk->tally->options);
	uint64_t came = 0;

	for (uint32_t bit = 0; bit < 64; bit++) {
		const uint64_t *flow = walk->tally->ledger + place->flow * words;

		came |= (flow[place->number / 64] >> place->number % 64 & 1) << bit;
		order_next(&walk->order, &walk->place);
	}
	return came;
}

static void report_sent(struct line *line, const struct tally *tally, uint32_t used)
{
	const struct tally_options *options = &tally->options;
	struct walk walk = { .tally = tally };

	order_begin(&walk.order, &walk.place, options->seed, options->flows);
	line_words_from(line, "sent", next_came, &walk, (size_t)used * options->flows);
}

static void report_ledger(struct line *line, const struct tally *tally)
{
	uint32_t words = tally_words(&tally->options), used = used_words(tally);

	line_object(line, "ledger");
	line_count(line, "numbers", tally->options.ledger);
	line_count(line, "words", used);
	line_list(line, "bits");
	for (uint32_t flow = 0; used && flow < tally->options.flows; flow++)
		line_words(line, NULL, tally->ledger + (size_t)flow * words, used);
	line_close(line, ']');
	report_sent(line, tally, used);
	line_close(line, '}');
}

void sink_report_losses(struct line *line, const struct tally *tally)
{
	report_corrupt(line, &tally->corrupt_by);
	report_late(line, tally->late);
	report_silences(line, tally);
	if (tally->ledger)
		report_ledger(line, tally);
}
