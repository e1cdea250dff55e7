// SPDX-License-Identifier: Apache-2.0
/* What a sink reports of the packets that did not come as they should (PROTOCOL.md, sink). */
#include "udp/sink.h"

static void report_corrupt(struct line *line, const struct tally_corrupt *corrupt)
{
	line_object(line, "corrupt_by");
	line_count(line, "ip_sum", corrupt->ip_sum);
	line_count(line, "udp_sum", corrupt->udp_sum);
	line_count(line, "no_sum", corrupt->no_sum);
	line_count(line, "header", corrupt->header);
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
