/* SPDX-License-Identifier: Apache-2.0 */
/* A record through the filter, and the places that it passes through the hash of windows. */
#include "literal/literals.h"

enum { QUEUE = 64 };

void gm_window_confirm(struct gm_literals *literals, struct gm_literals_record *record,
		       uint32_t place)
{
	uint32_t key = gm_read32(record->text + place) | literals->fold;
	uint32_t hash = gm_window_hash(key, literals->head_shift);
	uint32_t end = literals->heads[hash + 1];

	for (uint32_t i = literals->heads[hash]; i < end; i++) {
		const struct gm_window *window = &literals->windows[i];
		const struct gm_literal *literal = &literals->set.literals[window->literal];
		uint32_t start = place - window->offset;

		if (window->key != key || window->offset > place ||
		    literal->length > record->length - start)
			continue;
		if (literals->marks.stamps[literal->id] != record->stamp &&
		    gm_literal_at(literal, record->text + start)) {
			literals->marks.stamps[literal->id] = record->stamp;
			gm_pairs_add(record->pairs, record->number, literal->id);
		}
	}
}

/* Confirms the buckets that passed at an even place. */
static void place_confirm(struct gm_literals *literals, struct gm_literals_record *record,
			  uint32_t place, uint32_t buckets)
{
	if (buckets & GM_BUCKETS_EVEN && place + GM_WINDOW <= record->length)
		gm_window_confirm(literals, record, place);
	if (buckets & GM_BUCKETS_ODD && place && place + GM_WINDOW - 1 <= record->length)
		gm_window_confirm(literals, record, place - 1);
}

/* Four places of the filter; those that pass are confirmed later. */
struct passed {
	uint32_t place; /* of the second; the first is the place before */
	uint32_t buckets; /* a byte for each, the first the lowest */
};

static void passed_confirm(struct gm_literals *literals, struct gm_literals_record *record,
			   const struct passed *passed)
{
	uint32_t place = passed->place - 2;

	/* The place before a record's first has no buckets, so no place wraps. */
	for (uint32_t buckets = passed->buckets; buckets; buckets >>= 8, place += 2) {
		if (buckets & 0xff)
			place_confirm(literals, record, place, buckets & 0xff);
	}
}

/*
 * Tests `blocks` of 8 bytes; returns how many have places that pass. They are put into a queue
 * without a branch, because a branch that is seldom taken costs more than what it tests.
 */
static uint32_t blocks_test(const struct gm_literals *literals, const uint8_t *text, uint32_t place,
			    uint32_t blocks, uint32_t *previous, struct passed *queue)
{
	const uint16_t *filter = literals->filter;
	const uint32_t shift = literals->filter_shift;
	const uint32_t fold = literals->fold;
	uint32_t before = *previous;
	uint32_t count = 0;

	for (uint32_t i = 0; i < blocks; i++, text += GM_BLOCK, place += GM_BLOCK) {
		uint32_t e0 = filter[gm_gram_hash(gm_read32(text) | fold, shift)];
		uint32_t e1 = filter[gm_gram_hash(gm_read32(text + 2) | fold, shift)];
		uint32_t e2 = filter[gm_gram_hash(gm_read32(text + 4) | fold, shift)];
		uint32_t e3 = filter[gm_gram_hash(gm_read32(text + 6) | fold, shift)];

		queue[count].place = place;
		queue[count].buckets = (before & e0 >> 8) | (e0 & e1 >> 8) << 8 |
				       (e1 & e2 >> 8) << 16 | (e2 & e3 >> 8) << 24;
		count += queue[count].buckets != 0;
		before = e3;
	}
	*previous = before;
	return count;
}

/* `text` is the record from `place` on. */
static void blocks_scan(struct gm_literals *literals, struct gm_literals_record *record,
			const uint8_t *text, uint32_t place, uint32_t blocks)
{
	struct passed queue[QUEUE];

	while (blocks) {
		uint32_t some = blocks < QUEUE ? blocks : QUEUE;
		uint32_t count = blocks_test(literals, text, place, some, &record->previous, queue);

		for (uint32_t i = 0; i < count; i++)
			passed_confirm(literals, record, &queue[i]);
		text += (size_t)some * GM_BLOCK;
		place += some * GM_BLOCK;
		blocks -= some;
	}
}

/* What is left of a record is copied before zeros, so that no byte beyond it is read. */
static void rest_scan(struct gm_literals *literals, struct gm_literals_record *record,
		      uint32_t place)
{
	uint8_t tail[GM_BLOCK + GM_BLOCK_READ] = { 0 };
	uint32_t left = record->length - place;
	uint32_t blocks = left < GM_BLOCK_READ ? 0 : (left - GM_BLOCK_READ) / GM_BLOCK + 1;

	blocks_scan(literals, record, record->text + place, place, blocks);
	place += blocks * GM_BLOCK;
	left -= blocks * GM_BLOCK;
	memcpy(tail, record->text + place, left);
	blocks_scan(literals, record, tail, place, left < GM_BLOCK ? 1 : 2);
}

void gm_literals_scan(struct gm_literals *literals, const struct gm_records *records,
		      struct gm_pairs *pairs)
{
	if (literals->ac) {
		gm_ac_scan(literals->ac, records, pairs);
		return;
	}
	for (uint32_t i = 0; i < records->count; i++) {
		struct gm_literals_record record = { records->bytes + records->offsets[i],
						     records->offsets[i + 1] - records->offsets[i],
						     i,
						     0,
						     0,
						     pairs };
		uint32_t place;

		if (record.length < GM_WINDOW)
			continue;
		record.stamp = gm_marks_next(&literals->marks);
		place = literals->body ? literals->body(literals, &record) : 0;
		rest_scan(literals, &record, place);
	}
}
