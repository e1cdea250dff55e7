/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/forest.h"
#include "common/grow.h"

#include <string.h>

#define NO_SET UINT32_MAX

unsigned gm_byteset_count(const struct gm_byteset *set)
{
	unsigned count = 0;

	for (unsigned byte = 0; byte < 256; byte++)
		count += (unsigned)gm_byteset_has(set, byte);
	return count;
}

void gm_forest_init(struct gm_forest *forest)
{
	memset(forest, 0, sizeof(*forest));
	memset(forest->set_heads, 0xff, sizeof(forest->set_heads));
}

void gm_forest_free(struct gm_forest *forest)
{
	free(forest->nodes);
	free(forest->sets);
	free(forest->set_chain);
	gm_forest_init(forest);
}

static unsigned bucket(const struct gm_byteset *set)
{
	uint32_t hash = 0;

	for (int i = 0; i < 8; i++)
		hash = (hash ^ set->words[i]) * UINT32_C(0x9E3779B1);
	return hash >> 24;
}

uint32_t gm_forest_set(struct gm_forest *forest, const struct gm_byteset *set)
{
	uint32_t *head = &forest->set_heads[bucket(set)];
	void *grown;

	for (uint32_t i = *head; i != NO_SET; i = forest->set_chain[i]) {
		if (memcmp(&forest->sets[i], set, sizeof(*set)) == 0)
			return i;
	}
	grown = gm_grow(forest->sets, &forest->set_room, forest->set_count + 1, sizeof(*set));
	if (!grown)
		return NO_SET;
	forest->sets = grown;
	grown = gm_grow(forest->set_chain, &forest->chain_room, forest->set_count + 1,
			sizeof(uint32_t));
	if (!grown)
		return NO_SET;
	forest->set_chain = grown;
	forest->sets[forest->set_count] = *set;
	forest->set_chain[forest->set_count] = *head;
	*head = forest->set_count;
	return forest->set_count++;
}
