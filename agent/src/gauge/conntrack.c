// SPDX-License-Identifier: Apache-2.0
/*
 * Connection tracking: /proc/net/stat/nf_conntrack, hexadecimal, a line for each CPU under a line
 * of names (ct_cpu_seq_show(), net/netfilter/nf_conntrack_standalone.c). The first column, entries,
 * is the table's and the same in every line; all others are added up. The others are 32 bits wide.
 * chainlength, since 5.15, counts entries that found their hash chain too long; 0 before.
 */
#include "gauge/gauge.h"

#include <string.h>

#define FIELDS_MAX 32

static const char *const names[] = { "entries", "drop", "early_drop", "insert_failed",
				     "chainlength" };

#define COLUMNS (sizeof(names) / sizeof(names[0]))

/* Which column each field of a line goes to, by the line of names; COLUMNS: none. */
static void read_names(char *at, size_t column_of[FIELDS_MAX])
{
	for (size_t field = 0; field < FIELDS_MAX; field++) {
		size_t length;

		at = gauge_skip_space(at);
		length = gauge_word(at, ' ');
		column_of[field] = COLUMNS;
		for (size_t i = 0; i < COLUMNS; i++)
			if (length == strlen(names[i]) && strncmp(at, names[i], length) == 0)
				column_of[field] = i;
		at += length;
	}
}

WRAPS static void add_line(const size_t column_of[FIELDS_MAX], char *at, uint64_t sum[COLUMNS])
{
	for (size_t field = 0; field < FIELDS_MAX && *at && *at != '\n'; field++) {
		size_t column = column_of[field];
		uint64_t value = gauge_number(&at, 16);

		if (column < COLUMNS)
			sum[column] = column ? sum[column] + value : value;
		at = gauge_skip_space(at);
	}
}

static void conntrack_read(struct gauge *gauge, size_t row)
{
	size_t column_of[FIELDS_MAX];
	uint64_t sum[COLUMNS] = { 0 };
	char *line = gauge_text(gauge->fd);

	if (!line)
		return;
	read_names(line, column_of);
	while ((line = gauge_next_line(line)))
		add_line(column_of, line, sum);
	for (unsigned int i = 0; i < COLUMNS; i++)
		gauge_set(gauge, gauge->series, i, row, sum[i]);
}

const struct gauge_kind gauge_conntrack = {
	.name = "conntrack",
	.path = "self/net/stat/nf_conntrack",
	.columns = { "entries", "drop", "early_drop", "insert_failed", "chainlength" },
	.read = conntrack_read,
};
