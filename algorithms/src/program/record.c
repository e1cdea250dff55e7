/* SPDX-License-Identifier: Apache-2.0 */
#include "program/record.h"

#include <inttypes.h>
#include <stdio.h>

static int fields;

static void escaped(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '"' || byte == '\\')
			printf("\\%c", byte);
		else if (byte < 0x20 || byte > 0x7e)
			printf("\\u%04x", byte);
		else
			putchar(byte);
	}
	putchar('"');
}

static void field(const char *name)
{
	printf("%s\"%s\":", fields++ ? "," : "", name);
}

static int little_endian(void)
{
	const uint16_t value = 1;

	return *(const uint8_t *)&value;
}

void record_begin(const char *command)
{
	fields = 0;
	putchar('{');
	record_text("command", command);
	record_text("compiler", __VERSION__);
	record_text("flags", GM_FLAGS);
	record_text("byte_order", little_endian() ? "little" : "big");
	record_number("word_bits", 8 * sizeof(void *));
}

void record_text(const char *name, const char *text)
{
	field(name);
	escaped(text);
}

void record_number(const char *name, uint64_t number)
{
	field(name);
	printf("%" PRIu64, number);
}

void record_real(const char *name, double value)
{
	field(name);
	printf("%.9g", value);
}

void record_reals(const char *name, const double *values, size_t count)
{
	field(name);
	putchar('[');
	for (size_t i = 0; i < count; i++)
		printf("%s%.9g", i ? "," : "", values[i]);
	putchar(']');
}

void record_digest(const char *name, uint64_t digest)
{
	field(name);
	printf("\"%016" PRIx64 "\"", digest);
}

void record_end(void)
{
	puts("}");
	fflush(stdout);
}
