/* SPDX-License-Identifier: Apache-2.0 */
#include "automaton/dfa.h"

#include "common/grow.h"

#include <string.h>

int gm_lists_init(struct gm_lists *lists)
{
	uint32_t empty;

	memset(lists, 0, sizeof(*lists));
	lists->firsts = gm_grow(NULL, &lists->first_room, 2, sizeof(uint32_t));
	if (!lists->firsts)
		return GM_MATCH_MEMORY;
	memset(lists->firsts, 0, lists->first_room * sizeof(uint32_t));
	return gm_lists_close(lists, &empty);
}

void gm_lists_free(struct gm_lists *lists)
{
	free(lists->firsts);
	free(lists->ids);
	memset(lists, 0, sizeof(*lists));
}

int gm_lists_append(struct gm_lists *lists, uint32_t id)
{
	void *grown = gm_grow(lists->ids, &lists->id_room, lists->id_count + 1, sizeof(uint32_t));
	uint32_t first = lists->firsts[lists->count];
	uint32_t at;

	if (!grown)
		return GM_MATCH_MEMORY;
	lists->ids = grown;
	for (at = lists->id_count; at > first && lists->ids[at - 1] > id; at--)
		;
	if (at > first && lists->ids[at - 1] == id)
		return GM_MATCH_OK;
	memmove(lists->ids + at + 1, lists->ids + at, (lists->id_count - at) * sizeof(uint32_t));
	lists->ids[at] = id;
	lists->id_count++;
	return GM_MATCH_OK;
}

int gm_lists_close(struct gm_lists *lists, uint32_t *list)
{
	uint32_t first = lists->firsts[lists->count];
	uint32_t count = lists->id_count - first;
	void *grown;

	for (*list = 0; *list < lists->count; ++*list) {
		uint32_t other = lists->firsts[*list];

		if (lists->firsts[*list + 1] - other == count &&
		    (!count || memcmp(lists->ids + other, lists->ids + first,
				      count * sizeof(uint32_t)) == 0)) {
			lists->id_count = first;
			return GM_MATCH_OK;
		}
	}
	grown = gm_grow(lists->firsts, &lists->first_room, lists->count + 2, sizeof(uint32_t));
	if (!grown)
		return GM_MATCH_MEMORY;
	lists->firsts = grown;
	lists->firsts[++lists->count] = lists->id_count;
	return GM_MATCH_OK;
}

void gm_dfa_free(struct gm_dfa *dfa)
{
	free(dfa->next);
	free(dfa->accepts);
	free(dfa->end_accepts);
	free(dfa->borders);
	gm_lists_free(&dfa->lists);
	memset(dfa, 0, sizeof(*dfa));
}
