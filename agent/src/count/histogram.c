// SPDX-License-Identifier: Apache-2.0
/* Quantiles of a histogram. */
#include "count/histogram.h"

uint64_t histogram_quantile(const struct histogram *histogram, double share)
{
	uint64_t rank = (uint64_t)(share * (double)histogram->total);
	uint64_t below = 0;

	if (!histogram->total)
		return 0;
	if (rank >= histogram->total)
		rank = histogram->total - 1;
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		below += histogram->count[i];
		if (below > rank)
			return histogram_low(i);
	}
	return histogram->most;
}
