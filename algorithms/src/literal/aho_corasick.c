/* SPDX-License-Identifier: Apache-2.0 */
#include "literal/aho_corasick.h"

#include "literal/trie.h"

#include <stdlib.h>

/* The rows of a compact form take at most this many times the bytes of its other states. */
enum { ROWS_SHARE = 2, LISTED_BYTES = 10 };

static void *taken(struct gm_ac *ac, size_t count, size_t size)
{
	void *array = count > SIZE_MAX / size ? NULL : malloc(count * size + 1);

	ac->bytes += count * size;
	return array;
}

static uint32_t has_end(const struct gm_trie *trie, uint32_t state)
{
	return trie->own[state] || trie->link[state];
}

/* number[s]: states without an end first, both kinds in breadth-first order. */
static uint32_t numbers_fill(const struct gm_trie *trie, uint32_t *number)
{
	uint32_t plain = 0;
	uint32_t ends;

	for (uint32_t state = 0; state < trie->states; state++)
		plain += !has_end(trie, state);
	ends = plain;
	plain = 0;
	for (uint32_t state = 0; state < trie->states; state++)
		number[state] = has_end(trie, state) ? ends++ : plain++;
	return plain;
}

/* Ends in breadth-first order, so that a link always points to an earlier one. */
static int ends_fill(struct gm_ac *ac, const struct gm_trie *trie)
{
	uint32_t count = 0;
	uint32_t at = 0;

	for (uint32_t state = 0; state < trie->states; state++)
		count += has_end(trie, state);
	ac->ends = taken(ac, count, sizeof(*ac->ends));
	ac->end_of = malloc(((size_t)trie->states + 1) * sizeof(uint32_t));
	ac->sorted = taken(ac, ac->set.count, sizeof(uint32_t));
	if (!ac->ends || !ac->end_of || !ac->sorted)
		return -1;
	memcpy(ac->sorted, trie->sorted, ac->set.count * sizeof(uint32_t));
	for (uint32_t state = 0; state < trie->states; state++) {
		ac->end_of[state] = at;
		if (!has_end(trie, state))
			continue;
		ac->ends[at].low = trie->low[state];
		ac->ends[at].own = trie->own[state];
		ac->ends[at].link = trie->link[state] ? ac->end_of[trie->link[state]] : at;
		at++;
	}
	return 0;
}

/* A row is its failure's, but for the children: failures come before, breadth-first. */
/* A cell is a state's number, or where its row begins if `scale` is the classes. */
static void narrow_fill(struct gm_ac *ac, const struct gm_trie *trie, const uint32_t *number,
			uint32_t scale)
{
	for (uint32_t state = 0; state < trie->states; state++) {
		uint16_t *row = ac->narrow + (size_t)number[state] * ac->classes;

		if (state)
			memcpy(row, ac->narrow + (size_t)number[trie->fail[state]] * ac->classes,
			       ac->classes * sizeof(*row));
		else
			memset(row, 0, ac->classes * sizeof(*row));
		for (uint32_t child = trie->first[state]; child < trie->first[state + 1]; child++)
			row[trie->label[child]] = (uint16_t)(number[child] * scale);
	}
}

static void wide_fill(struct gm_ac *ac, const struct gm_trie *trie, const uint32_t *number)
{
	for (uint32_t state = 0; state < trie->states; state++) {
		uint32_t *row = ac->wide + (size_t)number[state] * ac->classes;

		if (state)
			memcpy(row, ac->wide + (size_t)number[trie->fail[state]] * ac->classes,
			       ac->classes * sizeof(*row));
		else
			memset(row, 0, ac->classes * sizeof(*row));
		for (uint32_t child = trie->first[state]; child < trie->first[state + 1]; child++)
			row[trie->label[child]] = number[child] * ac->classes;
	}
}

static int dense_fill(struct gm_ac *ac, const struct gm_trie *trie)
{
	size_t cells = (size_t)trie->states * trie->classes;
	uint32_t *number = malloc(trie->states * sizeof(uint32_t));

	ac->rows = trie->states;
	if (!number || trie->states > UINT32_MAX / trie->classes) {
		free(number);
		return -1;
	}
	ac->ends_from = numbers_fill(trie, number);
	ac->scaled = cells <= 65536 || trie->states > 65536;
	if (trie->states <= 65536) {
		ac->narrow = taken(ac, cells, sizeof(uint16_t));
		if (ac->narrow)
			narrow_fill(ac, trie, number, ac->scaled ? trie->classes : 1);
	} else {
		ac->wide = taken(ac, cells, sizeof(uint32_t));
		if (ac->wide)
			wide_fill(ac, trie, number);
	}
	if (ac->scaled)
		ac->ends_from *= trie->classes;
	free(number);
	free(ac->end_of);
	ac->end_of = NULL;
	return ac->narrow || ac->wide ? 0 : -1;
}

static uint32_t marked(const struct gm_trie *trie, uint32_t state)
{
	return state | (has_end(trie, state) ? GM_AC_END : 0);
}

static void rows_fill(struct gm_ac *ac, const struct gm_trie *trie)
{
	for (uint32_t state = 0; state < ac->rows; state++) {
		uint32_t *row = ac->row + (size_t)state * ac->classes;

		if (state)
			memcpy(row, ac->row + (size_t)trie->fail[state] * ac->classes,
			       ac->classes * sizeof(*row));
		else
			memset(row, 0, ac->classes * sizeof(*row));
		for (uint32_t child = trie->first[state]; child < trie->first[state + 1]; child++)
			row[trie->label[child]] = marked(trie, child);
	}
}

static int compact_fill(struct gm_ac *ac, const struct gm_trie *trie)
{
	size_t room = (size_t)trie->states * LISTED_BYTES * ROWS_SHARE;
	size_t rows = 1 + room / (trie->classes * sizeof(uint32_t));

	ac->rows = rows < trie->states ? (uint32_t)rows : trie->states;
	ac->row = taken(ac, (size_t)ac->rows * trie->classes, sizeof(uint32_t));
	ac->first = taken(ac, (size_t)trie->states + 1, sizeof(uint32_t));
	ac->fail = taken(ac, trie->states, sizeof(uint32_t));
	ac->label = taken(ac, trie->states, sizeof(uint16_t));
	ac->bytes += ((size_t)trie->states + 1) * sizeof(uint32_t); /* end_of */
	if (!ac->row || !ac->first || !ac->fail || !ac->label)
		return -1;
	memcpy(ac->first, trie->first, ((size_t)trie->states + 1) * sizeof(uint32_t));
	memcpy(ac->fail, trie->fail, trie->states * sizeof(uint32_t));
	for (uint32_t state = 0; state < trie->states; state++)
		ac->label[state] = (uint16_t)(trie->label[state] |
					      (has_end(trie, state) ? GM_AC_LABEL_END : 0));
	rows_fill(ac, trie);
	return 0;
}

static int filled(struct gm_ac *ac)
{
	struct gm_trie trie;
	int built = gm_trie_build(&trie, &ac->set);

	if (built == 0) {
		ac->states = trie.states;
		ac->classes = trie.classes;
		memcpy(ac->map, trie.map, sizeof(ac->map));
		built = ends_fill(ac, &trie);
	}
	if (built == 0)
		built = ac->form == GM_AC_DENSE ? dense_fill(ac, &trie) : compact_fill(ac, &trie);
	ac->peak_bytes = ac->bytes + trie.bytes;
	gm_trie_free(&trie);
	return built;
}

struct gm_ac *gm_ac_new(const struct gm_literal *literals, uint32_t count, enum gm_ac_form form)
{
	struct gm_ac *ac = calloc(1, sizeof(*ac));

	if (!ac)
		return NULL;
	ac->form = form;
	ac->bytes = sizeof(ac->map);
	if (gm_literal_set_copy(&ac->set, literals, count) ||
	    gm_marks_init(&ac->marks, ac->set.ids, GM_AC_LANES) || filled(ac)) {
		gm_ac_free(ac);
		return NULL;
	}
	ac->bytes += ac->set.count * sizeof(*ac->set.literals) + ac->set.total;
	return ac;
}

void gm_ac_free(struct gm_ac *ac)
{
	if (!ac)
		return;
	free(ac->narrow);
	free(ac->wide);
	free(ac->row);
	free(ac->first);
	free(ac->label);
	free(ac->fail);
	free(ac->end_of);
	free(ac->ends);
	free(ac->sorted);
	gm_literal_set_free(&ac->set);
	gm_marks_free(&ac->marks);
	free(ac);
}

struct gm_ac_counts gm_ac_counts(const struct gm_ac *ac)
{
	struct gm_ac_counts counts = { ac->states, ac->classes, ac->rows, ac->bytes,
				       ac->peak_bytes };

	return counts;
}

void gm_ac_report(struct gm_ac_scan *scan, uint32_t lane, uint32_t end, const uint8_t *text)
{
	struct gm_ac *ac = scan->ac;
	const struct gm_ac_lane *at = &scan->lanes[lane];
	uint32_t last;

	do {
		const struct gm_ac_end *place = &ac->ends[end];

		for (uint32_t i = place->low; i < place->low + place->own; i++) {
			const struct gm_literal *literal = &ac->set.literals[ac->sorted[i]];

			/* In a folded set a literal of exact case may be here in the other. */
			if (ac->set.nocase && !gm_literal_at(literal, text - literal->length))
				continue;
			if (gm_marks_set(&ac->marks, lane, literal->id, at->stamp))
				gm_pairs_add(scan->pairs, at->record, literal->id);
		}
		last = end;
		end = place->link;
	} while (end != last);
}
