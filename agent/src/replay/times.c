// SPDX-License-Identifier: Apache-2.0
#include "replay/times.h"

#include <stdlib.h>

#define FAR_NS (366ull * 86400 * 1000000000)

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t times_median(uint64_t *time_ns, size_t count)
{
	qsort(time_ns, count, sizeof(*time_ns), compare);
	return count ? time_ns[count / 2] : 0;
}

bool times_is_far(uint64_t time_ns, uint64_t median_ns)
{
	return (time_ns > median_ns ? time_ns - median_ns : median_ns - time_ns) > FAR_NS;
}
