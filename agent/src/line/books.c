// SPDX-License-Identifier: Apache-2.0
/* What became of each frame. */
#include "line/books.h"
#include "count/report.h"

#include <string.h>

void books_begin(struct books *books, uint64_t inside)
{
	memset(books, 0, sizeof(*books));
	books->older = inside;
}

void books_accept(struct books *books, const struct schedule *schedule)
{
	uint64_t packets = schedule_waiting(schedule);

	books->in++;
	if (packets > books->peak_packets)
		books->peak_packets = packets;
	if (schedule->waiting_bytes > books->peak_bytes)
		books->peak_bytes = schedule->waiting_bytes;
}

/* One from the head may be booked after a later one that never came in. */
static void note_drop(struct books *books, uint64_t at_ns, uint32_t bytes)
{
	uint64_t place = books->drops;

	books->dropped++;
	if (books->drops == BOOKS_DROPS)
		return;
	for (; place && books->drop[place - 1].at_ns > at_ns; place--)
		books->drop[place] = books->drop[place - 1];
	books->drop[place] = (struct drop){ at_ns, bytes };
	books->drops++;
}

void books_drop(struct books *books, uint64_t at_ns, uint32_t bytes)
{
	books->in++;
	note_drop(books, at_ns, bytes);
}

void books_refuse(struct books *books, uint64_t frames)
{
	books->in += frames;
	books->refused += frames;
}

static void note_sent(struct books *books, const struct slot *slot, uint64_t late_ns)
{
	books->sent++;
	books->bytes += slot->bytes;
	books->near += late_ns <= BOOKS_NEAR_NS;
	histogram_add(&books->late, late_ns);
}

void books_leave(struct books *books, const struct slot *slot, bool sent, uint64_t late_ns)
{
	if (books->older) {
		books->older--;
		return;
	}
	books->busy_ns += slot->busy_ns;
	if (slot->fate == FATE_DROPPED)
		note_drop(books, slot->leaves_ns, slot->bytes);
	else if (slot->fate == FATE_LOST)
		books->lost++;
	else if (sent)
		note_sent(books, slot, late_ns);
	else
		books->refused++;
}

static void report_late(const struct books *books, struct line *line)
{
	line_object(line, "late_ns");
	histogram_report_shares(&books->late, line);
	line_count(line, "within_50us", books->near);
	histogram_report_buckets(&books->late, line);
	line_close(line, '}');
}

static void report_drops(const struct books *books, int64_t offset_ns, struct line *line)
{
	line_object(line, "drops");
	line_list(line, "at_ns");
	for (uint64_t i = 0; i < books->drops; i++)
		line_integer(line, NULL, (int64_t)books->drop[i].at_ns + offset_ns);
	line_close(line, ']');
	line_column(line, "bytes", books->drop, sizeof(struct drop), (size_t)books->drops,
		    offsetof(struct drop, bytes));
	line_count(line, "left_out", books->dropped - books->drops);
	line_close(line, '}');
}

void books_report(const struct books *books, uint64_t inside, int64_t offset_ns, struct line *line,
		  const char *name)
{
	line_object(line, name);
	line_count(line, "in", books->in);
	line_count(line, "sent", books->sent);
	line_count(line, "dropped", books->dropped);
	line_count(line, "lost", books->lost);
	line_count(line, "refused", books->refused);
	line_count(line, "waiting", inside - books->older);
	line_count(line, "bytes", books->bytes);
	line_count(line, "busy_ns", books->busy_ns);
	line_count(line, "peak_packets", books->peak_packets);
	line_count(line, "peak_bytes", books->peak_bytes);
	report_late(books, line);
	report_drops(books, offset_ns, line);
	line_close(line, '}');
}
