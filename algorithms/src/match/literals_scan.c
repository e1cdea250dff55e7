/* SPDX-License-Identifier: Apache-2.0 */
/* A record through the filter, and the places that it passes through the hash of windows. */
#include "match/literals.h"

static void window_confirm(struct gm_literals *literals, struct gm_literals_record *record,
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

void gm_literals_confirm(struct gm_literals *literals, struct gm_literals_record *record,
			 uint32_t place, uint32_t buckets)
{
	if (buckets & GM_BUCKETS_EVEN && place + GM_WINDOW <= record->length)
		window_confirm(literals, record, place);
	if (buckets & GM_BUCKETS_ODD && place && place + GM_WINDOW - 1 <= record->length)
		window_confirm(literals, record, place - 1);
}

static inline uint32_t entry(const struct gm_literals *literals, const uint8_t *text)
{
	return literals
		->filter[gm_gram_hash(gm_read32(text) | literals->fold, literals->filter_shift)];
}

/* Tests four even places of `text`, which is the record from `place` on; returns the last entry. */
static inline uint32_t block(struct gm_literals *literals, struct gm_literals_record *record,
			     const uint8_t *text, uint32_t place, uint32_t previous)
{
	uint32_t e0 = entry(literals, text);
	uint32_t e1 = entry(literals, text + 2);
	uint32_t e2 = entry(literals, text + 4);
	uint32_t e3 = entry(literals, text + 6);
	uint32_t p0 = previous & e0 >> 8;
	uint32_t p1 = e0 & e1 >> 8;
	uint32_t p2 = e1 & e2 >> 8;
	uint32_t p3 = e2 & e3 >> 8;

	if (p0 | p1 | p2 | p3) {
		/* The place before a record's first has no buckets, so no place wraps. */
		if (p0)
			gm_literals_confirm(literals, record, place - 2, p0);
		if (p1)
			gm_literals_confirm(literals, record, place, p1);
		if (p2)
			gm_literals_confirm(literals, record, place + 2, p2);
		if (p3)
			gm_literals_confirm(literals, record, place + 4, p3);
	}
	return e3;
}

/* Whole blocks from `place` on; returns where they end. */
static uint32_t blocks_scan(struct gm_literals *literals, struct gm_literals_record *record,
			    uint32_t place)
{
	uint32_t previous = record->previous;

	for (; record->length - place >= GM_BLOCK_READ; place += GM_BLOCK)
		previous = block(literals, record, record->text + place, place, previous);
	record->previous = previous;
	return place;
}

/* What is left of a record is copied before zeros, so that no byte beyond it is read. */
static void tail_scan(struct gm_literals *literals, struct gm_literals_record *record,
		      uint32_t place)
{
	uint8_t tail[GM_BLOCK + GM_BLOCK_READ] = { 0 };
	uint32_t left = record->length - place;
	uint32_t previous;

	memcpy(tail, record->text + place, left);
	previous = block(literals, record, tail, place, record->previous);
	if (left >= GM_BLOCK)
		block(literals, record, tail + GM_BLOCK, place + GM_BLOCK, previous);
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
		tail_scan(literals, &record, blocks_scan(literals, &record, place));
	}
}
