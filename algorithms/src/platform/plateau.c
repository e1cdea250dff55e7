/* SPDX-License-Identifier: Apache-2.0 */
#include "platform/plateau.h"

void gm_plateaus_add(struct gm_plateaus *plateaus, uint64_t bytes, double ns)
{
	if (plateaus->count == GM_PLATEAU_POINTS)
		return;
	plateaus->bytes[plateaus->count] = (double)bytes;
	plateaus->ns[plateaus->count++] = ns;
}

/* Whether the latency hardly grows from a size on: over an octave, which noise moves less. */
static int is_flat(const struct gm_plateaus *plateaus, size_t from)
{
	size_t to = from + 2 < plateaus->count ? from + 2 : plateaus->count - 1;
	/* Two sizes are an octave: 2 to the power of 0.1 an octave. */
	double growth = to == from + 2 ? 1.0718 : 1.0353;

	return plateaus->ns[to] < growth * plateaus->ns[from];
}

/* The sizes `begin` to `end` are a level, or more of the last one. */
static void add_level(struct gm_plateaus *plateaus, size_t begin, size_t end)
{
	double least = plateaus->ns[begin];
	size_t level = plateaus->levels;

	for (size_t i = begin; i <= end; i++)
		least = plateaus->ns[i] < least ? plateaus->ns[i] : least;
	/* The octave ahead of the last sizes of a level lies beyond it. */
	while (end + 1 < plateaus->count && plateaus->ns[end + 1] < 1.1 * least)
		end++;
	if (level && least < 1.1 * plateaus->level_ns[level - 1]) {
		plateaus->level_bytes[level - 1] = plateaus->bytes[end];
		return;
	}
	plateaus->level_bytes[level] = plateaus->bytes[end];
	plateaus->level_ns[level] = least;
	plateaus->levels++;
}

void gm_plateaus_find(struct gm_plateaus *plateaus)
{
	size_t begin = 0;

	plateaus->levels = 0;
	for (size_t i = 0; i < plateaus->count; i++) {
		if (i + 1 < plateaus->count && is_flat(plateaus, i))
			continue;
		if (i >= begin + 2)
			add_level(plateaus, begin, i);
		begin = i + 1;
	}
}
