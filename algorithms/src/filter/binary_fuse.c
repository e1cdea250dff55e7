/* SPDX-License-Identifier: Apache-2.0 */
#include "filter/binary_fuse.h"

#include <stdlib.h>

static inline uint8_t find(const struct gm_binary_fuse *fuse, uint64_t key)
{
	uint64_t hash = gm_mix64(key + fuse->seed);
	struct gm_fuse_slots slots = gm_fuse_slots(fuse, hash);
	uint32_t rest = (uint32_t)gm_fuse_tag(hash) ^ fuse->tags[slots.first] ^
			fuse->tags[slots.second] ^ fuse->tags[slots.third];

	return rest == 0;
}

int gm_binary_fuse_find(const struct gm_binary_fuse *fuse, uint64_t key)
{
	return find(fuse, key);
}

void gm_binary_fuse_find_many(const struct gm_binary_fuse *fuse, const uint64_t *keys, size_t count,
			      uint8_t *answers)
{
	const struct gm_binary_fuse local = *fuse;
	size_t done = 0;

#if defined(__x86_64__)
	if (fuse->impl == GM_AVX512)
		done = gm_binary_fuse_find_avx512(fuse, keys, count, answers);
#endif
	for (; done < count; done++)
		answers[done] = find(&local, keys[done]);
}

void gm_binary_fuse_free(struct gm_binary_fuse *fuse)
{
	free(fuse->tags);
	fuse->tags = NULL;
}
