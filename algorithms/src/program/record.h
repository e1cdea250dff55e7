/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A record: one line of JSON on stdout, an object of names, numbers and lists of numbers. Names and
 * texts are the program's own words; what comes from a file's name is escaped.
 */
#ifndef GM_PROGRAM_RECORD_H
#define GM_PROGRAM_RECORD_H

#include <stddef.h>
#include <stdint.h>

/* Begins a line with what every record has: command, compiler, flags, byte order, word size. */
void record_begin(const char *command);

void record_text(const char *name, const char *text);
void record_number(const char *name, uint64_t number);
void record_real(const char *name, double value);
void record_reals(const char *name, const double *values, size_t count);

/* A digest as 16 hexadecimal digits. */
void record_digest(const char *name, uint64_t digest);

/* Ends the line. */
void record_end(void);

#endif
