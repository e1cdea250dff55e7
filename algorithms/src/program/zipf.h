/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks by Zipf's law with exponent 1: rank r (from 1) has the weight floor(2^32 / r). Whole
 * numbers alone, so that the draws are the same on every processor.
 */
#ifndef GM_PROGRAM_ZIPF_H
#define GM_PROGRAM_ZIPF_H

#include "gm/random.h"

#include <stdint.h>

struct zipf {
	uint64_t *below; /* the sum of the weights up to each rank */
	uint32_t count;
};

void zipf_init(struct zipf *zipf, uint32_t count);
void zipf_free(struct zipf *zipf);

/* The next rank less 1. */
uint32_t zipf_next(const struct zipf *zipf, struct gm_random *random);

#endif
