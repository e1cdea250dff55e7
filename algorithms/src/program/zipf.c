/* SPDX-License-Identifier: Apache-2.0 */
#include "program/zipf.h"

#include "program/memory.h"

#include <stdlib.h>

void zipf_init(struct zipf *zipf, uint32_t count)
{
	uint64_t sum = 0;

	zipf->count = count;
	zipf->below = memory_new(count, sizeof(*zipf->below));
	for (uint32_t i = 0; i < count; i++) {
		sum += (UINT64_C(1) << 32) / (i + 1);
		zipf->below[i] = sum;
	}
}

void zipf_free(struct zipf *zipf)
{
	free(zipf->below);
}

uint32_t zipf_next(const struct zipf *zipf, struct gm_random *random)
{
	uint64_t drawn = gm_random_u64(random) % zipf->below[zipf->count - 1];
	uint32_t least = 0, most = zipf->count - 1;

	while (least < most) {
		uint32_t middle = least + (most - least) / 2;

		if (zipf->below[middle] > drawn)
			most = middle;
		else
			least = middle + 1;
	}
	return least;
}
