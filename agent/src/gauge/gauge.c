// SPDX-License-Identifier: Apache-2.0
/* What all gauges have in common. */
#include "gauge/gauge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_BYTES (256 << 10)

static unsigned int columns_of(const struct gauge *gauge)
{
	unsigned int count = 1; /* there is no kind without */

	while (gauge->kind->columns[count])
		count++;
	return count;
}

int gauge_open(struct gauge *gauge, const struct gauge_kind *kind,
	       const struct gauge_options *options, struct fault *fault)
{
	*gauge = (struct gauge){ .kind = kind, .samples = options->samples, .fd = -1 };
	if (!kind->path)
		return kind->open(gauge, options, fault);
	if (gauge_file(gauge, options, kind->path) < 0)
		return -ENOENT;
	return gauge_add(gauge, kind->name)
		       ? 0
		       : fault_system(fault, -ENOMEM, "samples", "memory for the samples");
}

/* A series that cannot be read any more repeats its last values. */
void gauge_sample(struct gauge *gauge, size_t row)
{
	unsigned int columns = columns_of(gauge);

	for (size_t i = 0; row && i < gauge->count; i++) {
		uint64_t *value = gauge->series[i].value + row;

		for (unsigned int c = 0; c < columns; c++, value += gauge->samples)
			*value = value[-1];
	}
	gauge->kind->read(gauge, row);
}

static void report_series(const struct gauge *gauge, const struct series *series, size_t rows,
			  struct line *line)
{
	const uint64_t *value = series->value;

	for (unsigned int c = 0; gauge->kind->columns[c]; c++, value += gauge->samples) {
		line_list(line, gauge->kind->columns[c]);
		for (size_t row = 0; row < rows; row++)
			line_count(line, NULL, value[row]);
		line_close(line, ']');
	}
}

void gauge_report(const struct gauge *gauge, size_t rows, struct line *line)
{
	line_object(line, gauge->kind->name);
	for (size_t i = 0; i < gauge->count; i++) {
		if (!gauge->kind->path)
			line_object(line, gauge->series[i].name);
		report_series(gauge, &gauge->series[i], rows, line);
		if (!gauge->kind->path)
			line_close(line, '}');
	}
	line_close(line, '}');
}

void gauge_close(struct gauge *gauge)
{
	for (size_t i = 0; i < gauge->count; i++) {
		if (gauge->series[i].fd >= 0)
			close(gauge->series[i].fd);
		free(gauge->series[i].value);
	}
	free(gauge->series);
	if (gauge->fd >= 0)
		close(gauge->fd);
	*gauge = (struct gauge){ .fd = -1 };
}

int gauge_file(struct gauge *gauge, const struct gauge_options *options, const char *path)
{
	gauge->fd = openat(options->proc, path, O_RDONLY | O_CLOEXEC);
	return gauge->fd < 0 ? -ENOENT : 0;
}

struct series *gauge_add(struct gauge *gauge, const char *name)
{
	size_t bytes = columns_of(gauge) * gauge->samples * sizeof(uint64_t);
	struct series *series = realloc(gauge->series, (gauge->count + 1) * sizeof(*series));

	if (!series)
		return NULL;
	gauge->series = series;
	series += gauge->count;
	*series = (struct series){ .fd = -1, .value = malloc(bytes) };
	if (!series->value)
		return NULL;
	/* Touched now, not while measuring. */
	memset(series->value, 0, bytes);
	snprintf(series->name, sizeof(series->name), "%s", name);
	gauge->count++;
	return series;
}

struct series *gauge_find(const struct gauge *gauge, const char *name, size_t length)
{
	for (size_t i = 0; i < gauge->count; i++) {
		struct series *series = &gauge->series[i];

		if (strncmp(series->name, name, length) == 0 && !series->name[length])
			return series;
	}
	return NULL;
}

char *gauge_text(int fd)
{
	static char text[TEXT_BYTES];
	size_t used = 0;

	/* A seq_file hands out about a page a read. */
	while (used < sizeof(text) - 1) {
		ssize_t count = pread(fd, text + used, sizeof(text) - 1 - used, (off_t)used);

		if (count < 0)
			return NULL;
		if (!count)
			break;
		used += (size_t)count;
	}
	text[used] = '\0';
	return used ? text : NULL;
}

char *gauge_next_line(char *line)
{
	while (*line && *line != '\n')
		line++;
	return *line && line[1] ? line + 1 : NULL;
}

char *gauge_skip_space(char *text)
{
	while (*text == ' ')
		text++;
	return text;
}

size_t gauge_word(const char *text, char end)
{
	size_t length = 0;

	while (text[length] && text[length] != end && text[length] != '\n')
		length++;
	return length;
}

static unsigned int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned int)(c - 'a') + 10;
	return 16;
}

/* The kernel prints no number of more than 64 bits. */
WRAPS uint64_t gauge_number(char **text, unsigned int base)
{
	char *at = gauge_skip_space(*text);
	uint64_t value = 0;

	for (; digit_of(*at) < base; at++)
		value = value * base + digit_of(*at);
	*text = at;
	return value;
}
