// SPDX-License-Identifier: Apache-2.0
/* Amounts over time. */
#include "count/bins.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int bins_open(struct bins *bins, size_t count, uint64_t width_ns)
{
	size_t bytes;

	*bins = (struct bins){ .width_ns = width_ns, .count = count };
	if (!__builtin_mul_overflow(count, sizeof(*bins->amount), &bytes))
		bins->amount = malloc(bytes);
	if (!bins->amount)
		return -ENOMEM;
	memset(bins->amount, 0, bytes);
	return 0;
}

void bins_close(struct bins *bins)
{
	free(bins->amount);
	bins->amount = NULL;
}

void bins_add(struct bins *bins, uint64_t time_ns, uint64_t amount)
{
	uint64_t bin = time_ns > bins->t0_ns ? (time_ns - bins->t0_ns) / bins->width_ns : 0;

	bins->amount[bin < bins->count ? (size_t)bin : bins->count - 1] += amount;
}

void bins_report(const struct bins *bins, struct line *line, const char *key, const char *name)
{
	size_t used = bins->count;

	while (used && !bins->amount[used - 1])
		used--;
	line_object(line, key);
	line_count(line, "t0_ns", bins->t0_ns);
	line_count(line, "bin_ms", bins->width_ns / NS_PER_MS);
	line_list(line, name);
	for (size_t i = 0; i < used; i++)
		line_count(line, NULL, bins->amount[i]);
	line_close(line, ']');
	line_close(line, '}');
}
