// SPDX-License-Identifier: Apache-2.0
/* CoDel (RFC 8289 section 5), asked frame by frame. */
#include "line/codel.h"

#define MEMORY_INTERVALS 16 /* so long after the last drop its count is worth something */

uint32_t codel_root(uint64_t square)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= square)
			root |= bit;
	return (uint32_t)root;
}

static uint64_t next_drop(uint64_t from_ns, uint32_t count)
{
	return from_ns + codel_root(CODEL_INTERVAL_NS * CODEL_INTERVAL_NS / count);
}

void codel_begin(struct codel *codel, uint64_t full_frame_ns, uint32_t frame_most)
{
	uint64_t frames_ns = full_frame_ns + full_frame_ns / 2;

	*codel = (struct codel){ .frame_most = frame_most };
	codel->target_ns = frames_ns > CODEL_TARGET_NS ? frames_ns : CODEL_TARGET_NS;
}

/* True if the queue was too long for a whole interval. */
static bool is_above(struct codel *codel, uint64_t now_ns, uint64_t waited_ns, uint64_t behind)
{
	if (waited_ns < codel->target_ns || behind <= codel->frame_most) {
		codel->first_above_ns = 0;
		return false;
	}
	if (codel->first_above_ns)
		return now_ns >= codel->first_above_ns;
	codel->first_above_ns = now_ns + CODEL_INTERVAL_NS;
	return false;
}

/* Drops begin, as fast as they last were if that is not long ago. */
static void enter(struct codel *codel, uint64_t now_ns)
{
	uint32_t more = codel->count - codel->last_count;
	int64_t since_ns = (int64_t)(now_ns - codel->drop_next_ns);

	codel->dropping = true;
	codel->entered = true;
	codel->count = 1;
	if (more > 1 && since_ns < (int64_t)(MEMORY_INTERVALS * CODEL_INTERVAL_NS))
		codel->count = more;
	codel->drop_next_ns = next_drop(now_ns, codel->count);
	codel->last_count = codel->count;
}

bool codel_drops(struct codel *codel, uint64_t now_ns, uint64_t waited_ns, uint64_t bytes_behind,
		 bool again)
{
	bool above = is_above(codel, now_ns, waited_ns, bytes_behind);

	if (again && codel->entered)
		return false;
	codel->entered = false;
	if (!codel->dropping) {
		if (above)
			enter(codel, now_ns);
		return above;
	}
	codel->dropping = above;
	if (above && again)
		codel->drop_next_ns = next_drop(codel->drop_next_ns, codel->count);
	if (!above || now_ns < codel->drop_next_ns)
		return false;
	codel->count++;
	return true;
}

void codel_empty(struct codel *codel)
{
	codel->first_above_ns = 0;
	codel->dropping = codel->dropping && codel->entered;
}
