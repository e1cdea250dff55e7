// SPDX-License-Identifier: Apache-2.0
/*
 * Objects of the kernel's caches: /proc/slabinfo (slabinfo(5)), a line for each cache under two of
 * heads. For root alone; a cache that was merged into another has no line.
 */
#include "gauge/gauge.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The length of the cache's name where the line is of one that is wanted, else 0. */
static size_t wanted_length(const char *line, const struct texts *slabs)
{
	size_t length = gauge_word(line, ' ');

	for (size_t i = 0; i < slabs->count; i++)
		if (strlen(slabs->item[i]) == length && strncmp(line, slabs->item[i], length) == 0)
			return length;
	return 0;
}

static bool add(struct gauge *gauge, const char *line, size_t length)
{
	char name[sizeof(gauge->series->name)];

	if (length >= sizeof(name))
		length = sizeof(name) - 1;
	memcpy(name, line, length);
	name[length] = '\0';
	return gauge_add(gauge, name);
}

static int slab_open(struct gauge *gauge, const struct gauge_options *options, struct fault *fault)
{
	char *line;

	if (gauge_file(gauge, options, "slabinfo") < 0)
		return -ENOENT;
	for (line = gauge_text(gauge->fd); line; line = gauge_next_line(line)) {
		size_t length = wanted_length(line, options->slabs);

		if (length && !add(gauge, line, length))
			return fault_system(fault, -ENOMEM, "samples", "memory for the samples");
	}
	return gauge->count ? 0 : -ENOENT;
}

static void slab_read(struct gauge *gauge, size_t row)
{
	char *line;

	for (line = gauge_text(gauge->fd); line; line = gauge_next_line(line)) {
		size_t length = gauge_word(line, ' ');
		struct series *series = gauge_find(gauge, line, length);
		char *at = line + length;

		for (unsigned int column = 0; series && column < 3; column++)
			gauge_set(gauge, series, column, row, gauge_number(&at, 10));
	}
}

const struct gauge_kind gauge_slab = {
	.name = "slab",
	.columns = { "active", "objects", "object_bytes" },
	.open = slab_open,
	.read = slab_read,
};
