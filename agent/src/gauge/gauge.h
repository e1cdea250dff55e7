// SPDX-License-Identifier: Apache-2.0
/*
 * What watch reads: a gauge is one thing in /proc, with a series for each thread, CPU, interface
 * and so on, and the same columns in each series. Memory is taken when it is opened; a sample is
 * one pread() of a file that stays open, and some parsing.
 */
#ifndef GM_GAUGE_H
#define GM_GAUGE_H

#include "bpf/wraps.h"
#include "talk/fault.h"
#include "talk/line.h"
#include "talk/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAUGE_COLUMNS_MAX 8

struct gauge_options {
	int proc; /* descriptor of the folder /proc */
	const struct integers *threads;
	const struct texts *devices;
	const struct texts *slabs;
	size_t samples; /* room for so many */
};

struct series {
	char name[32];
	int fd; /* -1, or the series' own file */
	bool gone; /* could no longer be read: its last values are repeated */
	uint64_t *value; /* column by column, .samples each */
};

struct gauge {
	const struct gauge_kind *kind;
	size_t samples;
	int fd; /* -1 where each series has its own */
	struct series *series;
	size_t count;
};

struct gauge_kind {
	const char *name;
	/* In /proc, of a kind with one series, which has no name; NULL: `open` adds them. */
	const char *path;
	const char *columns[GAUGE_COLUMNS_MAX + 1]; /* NULL-terminated */

	/* Where path is NULL. 0; -ENOENT: not of this kernel; or another -errno, the fault filled. */
	int (*open)(struct gauge *gauge, const struct gauge_options *options, struct fault *fault);

	/* Fills row of every series; what is not filled keeps the row before. */
	void (*read)(struct gauge *gauge, size_t row);
};

extern const struct gauge_kind gauge_threads;
extern const struct gauge_kind gauge_cpu;
extern const struct gauge_kind gauge_softnet;
extern const struct gauge_kind gauge_interfaces;
extern const struct gauge_kind gauge_memory;
extern const struct gauge_kind gauge_conntrack;
extern const struct gauge_kind gauge_slab;
extern const struct gauge_kind gauge_pagesets;

int gauge_open(struct gauge *gauge, const struct gauge_kind *kind,
	       const struct gauge_options *options, struct fault *fault);
void gauge_sample(struct gauge *gauge, size_t row);
void gauge_report(const struct gauge *gauge, size_t rows, struct line *line);
void gauge_close(struct gauge *gauge);

/* For the kinds. Counters of the kernel wrap, so what adds or scales them is marked WRAPS. */

/* Opens the gauge's file in /proc; -ENOENT if there is none. */
int gauge_file(struct gauge *gauge, const struct gauge_options *options, const char *path);

/* Adds a series and returns it, or NULL. */
struct series *gauge_add(struct gauge *gauge, const char *name);

struct series *gauge_find(const struct gauge *gauge, const char *name, size_t length);

/* The whole file as text, in a buffer that the next call overwrites; NULL if it is unreadable. */
char *gauge_text(int fd);

/*
 * Taking text apart. By hand, not by strchr(), strcspn() and strtoull(): zig's C library measures
 * the whole rest of the text in each of them.
 */

/* The line behind this one, or NULL. */
char *gauge_next_line(char *line);

char *gauge_skip_space(char *text);

/* Characters before end, or before the end of the line. */
size_t gauge_word(const char *text, char end);

/* Reads the next number in text, of base 10 or 16, and moves behind it. */
uint64_t gauge_number(char **text, unsigned int base);

static inline void gauge_set(struct gauge *gauge, struct series *series, unsigned int column,
			     size_t row, uint64_t value)
{
	series->value[column * gauge->samples + row] = value;
}

#endif
