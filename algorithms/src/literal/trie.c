/* SPDX-License-Identifier: Apache-2.0 */
#include "literal/trie.h"

#include <stdlib.h>

/* A literal while it is sorted: its bytes folded if the set is. */
struct word {
	const uint8_t *bytes;
	uint32_t length;
	uint32_t literal;
};

static int word_order(const void *left, const void *right)
{
	const struct word *a = left;
	const struct word *b = right;
	int order = memcmp(a->bytes, b->bytes, a->length < b->length ? a->length : b->length);

	if (order)
		return order;
	if (a->length != b->length)
		return a->length < b->length ? -1 : 1;
	return (a->literal > b->literal) - (a->literal < b->literal);
}

static void words_fill(struct word *words, uint8_t *folded, const struct gm_literal_set *set)
{
	for (uint32_t i = 0; i < set->count; i++) {
		const struct gm_literal *literal = &set->literals[i];

		for (uint32_t j = 0; j < literal->length; j++)
			folded[j] = set->nocase ? gm_fold(literal->bytes[j]) : literal->bytes[j];
		words[i].bytes = folded;
		words[i].length = literal->length;
		words[i].literal = i;
		folded += literal->length;
	}
	qsort(words, set->count, sizeof(*words), word_order);
}

static void classes_fill(struct gm_trie *trie, const struct gm_literal_set *set,
			 const uint8_t *folded)
{
	uint8_t used[256] = { 0 };

	for (uint32_t i = 0; i < set->total; i++)
		used[folded[i]] = 1;
	trie->classes = 1;
	/* All 256 in use: nothing needs class 0, so the last byte has it. */
	for (uint32_t byte = 0; byte < 256; byte++) {
		if (used[byte] && trie->classes < 256)
			trie->map[byte] = (uint8_t)trie->classes++;
	}
	for (uint32_t byte = 'A'; set->nocase && byte <= 'Z'; byte++)
		trie->map[byte] = trie->map[byte + ('a' - 'A')];
}

/* Numbers the states: each is a range of words that agree in its depth's bytes. */
static void states_number(struct gm_trie *trie, const struct word *words, uint32_t count,
			  uint32_t *high, uint32_t *depth)
{
	trie->states = 1;
	trie->low[0] = 0;
	high[0] = count;
	depth[0] = 0;
	for (uint32_t state = 0; state < trie->states; state++) {
		uint32_t word = trie->low[state];
		uint32_t deep = depth[state];

		while (word < high[state] && words[word].length == deep)
			word++;
		trie->own[state] = word - trie->low[state];
		trie->first[state] = trie->states;
		while (word < high[state]) {
			uint32_t child = trie->states++;
			uint8_t byte = words[word].bytes[deep];

			trie->low[child] = word;
			depth[child] = deep + 1;
			trie->label[child] = trie->map[byte];
			while (word < high[state] && words[word].bytes[deep] == byte)
				word++;
			high[child] = word;
		}
	}
	trie->first[trie->states] = trie->states;
}

/* The longest proper suffix of a state's child that is a state. */
static uint32_t failure_of(const struct gm_trie *trie, uint32_t state, uint32_t class)
{
	uint32_t fail = trie->fail[state];
	uint32_t next = state ? gm_trie_child(trie, fail, class) : 0;

	while (!next && fail) {
		fail = trie->fail[fail];
		next = gm_trie_child(trie, fail, class);
	}
	return next;
}

static void failures_fill(struct gm_trie *trie)
{
	trie->fail[0] = 0;
	trie->link[0] = 0;
	for (uint32_t state = 0; state < trie->states; state++) {
		for (uint32_t child = trie->first[state]; child < trie->first[state + 1]; child++) {
			uint32_t next = failure_of(trie, state, trie->label[child]);

			trie->fail[child] = next;
			trie->link[child] = trie->own[next] ? next : trie->link[next];
		}
	}
}

static int arrays_new(struct gm_trie *trie, uint32_t states, uint32_t count)
{
	trie->first = malloc(((size_t)states + 1) * sizeof(uint32_t));
	trie->label = calloc(states, 1);
	trie->fail = malloc(states * sizeof(uint32_t));
	trie->link = malloc(states * sizeof(uint32_t));
	trie->low = malloc(states * sizeof(uint32_t));
	trie->own = malloc(states * sizeof(uint32_t));
	trie->sorted = malloc(((size_t)count + 1) * sizeof(uint32_t));
	trie->bytes = states * (5 * sizeof(uint32_t) + 1) + (count + (size_t)2) * sizeof(uint32_t);
	return trie->first && trie->label && trie->fail && trie->link && trie->low && trie->own &&
			       trie->sorted
		       ? 0
		       : -1;
}

int gm_trie_build(struct gm_trie *trie, const struct gm_literal_set *set)
{
	uint32_t most = set->total + 1;
	struct word *words = malloc(((size_t)set->count + 1) * sizeof(*words));
	uint8_t *folded = malloc(most);
	uint32_t *ranges = malloc((size_t)most * 2 * sizeof(uint32_t));
	int ready;

	memset(trie, 0, sizeof(*trie));
	ready = arrays_new(trie, most, set->count) == 0 && words && folded && ranges;
	if (ready) {
		words_fill(words, folded, set);
		classes_fill(trie, set, folded);
		states_number(trie, words, set->count, ranges, ranges + most);
		failures_fill(trie);
		for (uint32_t i = 0; i < set->count; i++)
			trie->sorted[i] = words[i].literal;
		trie->bytes += set->count * sizeof(*words) + most * (1 + 2 * sizeof(uint32_t));
	}
	free(words);
	free(folded);
	free(ranges);
	return ready ? 0 : -1;
}

void gm_trie_free(struct gm_trie *trie)
{
	free(trie->first);
	free(trie->label);
	free(trie->fail);
	free(trie->link);
	free(trie->low);
	free(trie->own);
	free(trie->sorted);
}
