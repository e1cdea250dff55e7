/* SPDX-License-Identifier: Apache-2.0 */
#include "filter/binary_fuse.h"

void gm_fuse_rest(const struct gm_binary_fuse *fuse, const uint32_t at[3][GM_FUSE_BLOCK],
		  uint8_t *rest)
{
	const uint8_t *tags = fuse->tags;

	for (size_t i = 0; i < GM_FUSE_BLOCK; i++)
		rest[i] = (uint8_t)(tags[at[0][i]] ^ tags[at[1][i]] ^ tags[at[2][i]]);
}
