/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hopcroft's minimisation: blocks of states that may still be equivalent are split by where their
 * moves lead. A block splits all classes at once; of two halves the smaller becomes a splitter.
 *
 * Source: J. Hopcroft, "An n log n algorithm for minimizing states in a finite automaton" (1971).
 */
#include "automaton/dfa.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct partition {
	struct gm_dfa *dfa;
	uint32_t *from_firsts; /* the states that lead to s by class c: from ... */
	uint32_t *from;
	uint32_t *states; /* block by block */
	uint32_t *places; /* of each state in `states` */
	uint32_t *blocks; /* of each state */
	uint32_t *firsts, *sizes, *marked; /* of each block: marked states come first */
	uint32_t block_count;
	uint32_t *work; /* blocks that must still split others */
	uint32_t work_count;
	uint32_t *waiting; /* is a block in `work`? */
	uint32_t *splitter; /* a copy of the block that splits */
	uint32_t *touched; /* the blocks with marked states */
	uint32_t touched_count;
};

static uint32_t *numbers(size_t count)
{
	return calloc(count + 1, sizeof(uint32_t));
}

static int allocate(struct partition *partition)
{
	size_t states = partition->dfa->state_count;
	size_t cells = states * partition->dfa->class_count;
	uint32_t **arrays[] = { &partition->states, &partition->places,	 &partition->blocks,
				&partition->firsts, &partition->sizes,	 &partition->marked,
				&partition->work,   &partition->waiting, &partition->splitter,
				&partition->touched };

	partition->from_firsts = numbers(cells);
	partition->from = numbers(cells);
	if (!partition->from_firsts || !partition->from)
		return GM_MATCH_MEMORY;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		*arrays[i] = numbers(states);
		if (!*arrays[i])
			return GM_MATCH_MEMORY;
	}
	return GM_MATCH_OK;
}

static void release(struct partition *partition)
{
	free(partition->from_firsts);
	free(partition->from);
	free(partition->states);
	free(partition->places);
	free(partition->blocks);
	free(partition->firsts);
	free(partition->sizes);
	free(partition->marked);
	free(partition->work);
	free(partition->waiting);
	free(partition->splitter);
	free(partition->touched);
}

/* Sorts the moves by class and target, so that each has the list of its origins. */
static void reverse(struct partition *partition)
{
	const struct gm_dfa *dfa = partition->dfa;
	uint32_t *firsts = partition->from_firsts;
	size_t states = dfa->state_count;
	size_t cells = states * dfa->class_count;
	uint32_t sum = 0;

	for (size_t i = 0; i < cells; i++)
		firsts[i % dfa->class_count * states + dfa->next[i]]++;
	for (size_t i = 0; i <= cells; i++) {
		sum += firsts[i];
		firsts[i] = sum;
	}
	for (size_t i = cells; i-- > 0;)
		partition->from[--firsts[i % dfa->class_count * states + dfa->next[i]]] =
			(uint32_t)(i / dfa->class_count);
}

static void wait_for(struct partition *partition, uint32_t block)
{
	if (partition->waiting[block])
		return;
	partition->waiting[block] = 1;
	partition->work[partition->work_count++] = block;
}

/* The sorting of states by what they accept; equal states are one block at first. */
struct key {
	uint32_t accepts, end_accepts, borders, state;
};

static int by_key(const void *left, const void *right)
{
	const struct key *a = left;
	const struct key *b = right;

	if (a->accepts != b->accepts)
		return a->accepts < b->accepts ? -1 : 1;
	if (a->end_accepts != b->end_accepts)
		return a->end_accepts < b->end_accepts ? -1 : 1;
	if (a->borders != b->borders)
		return a->borders < b->borders ? -1 : 1;
	return (a->state > b->state) - (a->state < b->state);
}

static int begin(struct partition *partition)
{
	const struct gm_dfa *dfa = partition->dfa;
	struct key *keys = malloc(dfa->state_count * sizeof(*keys));

	if (!keys)
		return GM_MATCH_MEMORY;
	for (uint32_t i = 0; i < dfa->state_count; i++) {
		struct key key = { dfa->accepts[i], dfa->end_accepts[i], dfa->borders[i], i };

		keys[i] = key;
	}
	qsort(keys, dfa->state_count, sizeof(*keys), by_key);
	for (uint32_t i = 0; i < dfa->state_count; i++) {
		if (!i || keys[i].accepts != keys[i - 1].accepts ||
		    keys[i].end_accepts != keys[i - 1].end_accepts ||
		    keys[i].borders != keys[i - 1].borders) {
			partition->firsts[partition->block_count] = i;
			wait_for(partition, partition->block_count++);
		}
		partition->states[i] = keys[i].state;
		partition->places[keys[i].state] = i;
		partition->blocks[keys[i].state] = partition->block_count - 1;
		partition->sizes[partition->block_count - 1]++;
	}
	free(keys);
	return GM_MATCH_OK;
}

/* Moves a state to the marked part at the front of its block. */
static void mark(struct partition *partition, uint32_t state)
{
	uint32_t block = partition->blocks[state];
	uint32_t to = partition->firsts[block] + partition->marked[block];
	uint32_t at = partition->places[state];
	uint32_t other = partition->states[to];

	if (at < to)
		return;
	if (!partition->marked[block]++)
		partition->touched[partition->touched_count++] = block;
	partition->states[to] = state;
	partition->places[state] = to;
	partition->states[at] = other;
	partition->places[other] = at;
}

/* Makes a block of the marked states of a block, unless all are marked. */
static void split(struct partition *partition, uint32_t block)
{
	uint32_t marked = partition->marked[block];
	uint32_t made = partition->block_count;

	partition->marked[block] = 0;
	if (marked == partition->sizes[block])
		return;
	partition->block_count++;
	partition->firsts[made] = partition->firsts[block];
	partition->sizes[made] = marked;
	partition->firsts[block] += marked;
	partition->sizes[block] -= marked;
	for (uint32_t i = 0; i < marked; i++)
		partition->blocks[partition->states[partition->firsts[made] + i]] = made;
	if (partition->waiting[block] || marked <= partition->sizes[block])
		wait_for(partition, made);
	else
		wait_for(partition, block);
}

static void split_by(struct partition *partition, uint32_t size, size_t byte_class)
{
	const uint32_t *firsts = partition->from_firsts + byte_class * partition->dfa->state_count;

	partition->touched_count = 0;
	for (uint32_t i = 0; i < size; i++) {
		uint32_t state = partition->splitter[i];

		for (uint32_t j = firsts[state]; j < firsts[state + 1]; j++)
			mark(partition, partition->from[j]);
	}
	for (uint32_t i = 0; i < partition->touched_count; i++)
		split(partition, partition->touched[i]);
}

static void refine(struct partition *partition)
{
	while (partition->work_count) {
		uint32_t block = partition->work[--partition->work_count];
		uint32_t size = partition->sizes[block];

		partition->waiting[block] = 0;
		memcpy(partition->splitter, partition->states + partition->firsts[block],
		       size * sizeof(uint32_t));
		for (uint32_t i = 0; i < partition->dfa->class_count; i++)
			split_by(partition, size, i);
	}
}

/* Numbers the blocks to which a block's moves lead, if they have none. Returns the new count. */
static uint32_t visit(struct partition *partition, uint32_t block, uint32_t count)
{
	const struct gm_dfa *dfa = partition->dfa;
	size_t state = partition->states[partition->firsts[block]];

	for (uint32_t i = 0; i < dfa->class_count; i++) {
		uint32_t target = partition->blocks[dfa->next[state * dfa->class_count + i]];

		if (partition->waiting[target] == NONE) {
			partition->waiting[target] = count;
			partition->work[count++] = target;
		}
	}
	return count;
}

/* Numbers the blocks by their first visit from the start; `work` becomes their order. */
static uint32_t number(struct partition *partition)
{
	const struct gm_dfa *dfa = partition->dfa;
	uint32_t *numbers_of = partition->waiting;
	uint32_t count = 1;

	memset(numbers_of, 0xff, dfa->state_count * sizeof(uint32_t));
	numbers_of[partition->blocks[0]] = 0;
	partition->work[0] = partition->blocks[0];
	for (uint32_t i = 0; i < count; i++)
		count = visit(partition, partition->work[i], count);
	return count;
}

/* Writes the table of blocks in place of the table of states. */
static int rewrite(struct partition *partition)
{
	struct gm_dfa *dfa = partition->dfa;
	uint32_t count = number(partition);
	size_t row = dfa->class_count;
	struct gm_dfa small = { 0 };

	small.next = numbers(count * row);
	small.accepts = numbers(count);
	small.end_accepts = numbers(count);
	small.borders = numbers(count);
	if (!small.next || !small.accepts || !small.end_accepts || !small.borders) {
		gm_dfa_free(&small);
		return GM_MATCH_MEMORY;
	}
	for (uint32_t i = 0; i < count; i++) {
		size_t state = partition->states[partition->firsts[partition->work[i]]];

		small.accepts[i] = dfa->accepts[state];
		small.end_accepts[i] = dfa->end_accepts[state];
		small.borders[i] = dfa->borders[state];
		for (size_t j = 0; j < row; j++)
			small.next[i * row + j] =
				partition->waiting[partition->blocks[dfa->next[state * row + j]]];
	}
	free(dfa->next);
	free(dfa->accepts);
	free(dfa->end_accepts);
	free(dfa->borders);
	dfa->next = small.next;
	dfa->accepts = small.accepts;
	dfa->end_accepts = small.end_accepts;
	dfa->borders = small.borders;
	dfa->state_count = count;
	return GM_MATCH_OK;
}

int gm_dfa_minimize(struct gm_dfa *dfa)
{
	struct partition partition = { 0 };
	int status;

	partition.dfa = dfa;
	status = allocate(&partition);
	if (status == GM_MATCH_OK) {
		reverse(&partition);
		status = begin(&partition);
	}
	if (status == GM_MATCH_OK) {
		refine(&partition);
		status = rewrite(&partition);
	}
	release(&partition);
	return status;
}
