/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scan finds: for each record the set of pattern ids. A scan may finish the records in any
 * order; each is closed once.
 */
#ifndef GM_PAYLOAD_RESULT_H
#define GM_PAYLOAD_RESULT_H

#include "gm/match.h"

/* Ids of all records in one pool; it grows in the first scan and then stays. */
struct gm_result {
	uint32_t *first; /* record i has ids[first[i]] to ids[first[i] + count[i]] */
	uint32_t *count;
	uint32_t records;
	uint32_t *ids;
	uint32_t used, room;
};

/* The set of ids of a record that is being scanned. */
struct gm_hits {
	uint32_t *bits; /* a bit for each pattern */
	uint32_t *ids; /* in the order of their finding */
	uint32_t count;
	uint32_t patterns;
};

int gm_result_init(struct gm_result *result, uint32_t records);
void gm_result_free(struct gm_result *result);

/* Forgets all ids and keeps the memory. */
void gm_result_clear(struct gm_result *result);

/* GM_MATCH_OK or GM_MATCH_MEMORY. */
int gm_hits_init(struct gm_hits *hits, uint32_t patterns);
void gm_hits_free(struct gm_hits *hits);

/* Adds a pattern's id once. */
static inline void gm_hits_add(struct gm_hits *hits, uint32_t id)
{
	uint32_t bit = UINT32_C(1) << (id & 31);

	if (hits->bits[id >> 5] & bit)
		return;
	hits->bits[id >> 5] |= bit;
	hits->ids[hits->count++] = id;
}

/* Is the id in the set already? */
static inline int gm_hits_has(const struct gm_hits *hits, uint32_t id)
{
	return (int)(hits->bits[id >> 5] >> (id & 31)) & 1;
}

/* Gives the record its ids and empties the hits. GM_MATCH_OK or GM_MATCH_MEMORY. */
int gm_result_close(struct gm_result *result, uint32_t record, struct gm_hits *hits);

/* Sorts each record's ids; FNV-1a over the count and the ids of each record, in their order. */
uint64_t gm_result_digest(struct gm_result *result);

/* The number of (record, id) pairs. */
uint64_t gm_result_pairs(const struct gm_result *result);

#endif
