/* SPDX-License-Identifier: Apache-2.0 */
#include "program/ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fail(int code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("gm-algorithms: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(code);
}

void ask_read(struct ask *ask, int argc, char **argv)
{
	memset(ask, 0, sizeof(*ask));
	ask->command = argv[0];
	for (int i = 1; i < argc; i++) {
		char *equals = strchr(argv[i], '=');

		if (!equals || equals == argv[i])
			fail(2, "`%s` is not of the form key=value", argv[i]);
		if (ask->count == ASK_WORDS)
			fail(2, "more than %d words", ASK_WORDS);
		*equals = 0;
		ask->keys[ask->count] = argv[i];
		ask->values[ask->count++] = equals + 1;
	}
}

const char *ask_text(struct ask *ask, const char *key, const char *otherwise)
{
	for (int i = 0; i < ask->count; i++) {
		if (strcmp(ask->keys[i], key) == 0) {
			ask->taken[i] = 1;
			return ask->values[i];
		}
	}
	if (!otherwise)
		fail(2, "%s needs %s=", ask->command, key);
	return otherwise;
}

uint64_t ask_number(struct ask *ask, const char *key, uint64_t otherwise, uint64_t least,
		    uint64_t most)
{
	const char *text = ask_text(ask, key, "");
	unsigned long long number;
	char *end;

	if (!*text)
		return otherwise;
	number = strtoull(text, &end, 10);
	if (*end || *text == '-' || number < least || number > most)
		fail(2, "%s=%s is not a whole number from %llu to %llu", key, text,
		     (unsigned long long)least, (unsigned long long)most);
	return number;
}

int ask_choice(struct ask *ask, const char *key, const char *const *names)
{
	const char *text = ask_text(ask, key, names[0]);

	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], text) == 0)
			return i;
	}
	fprintf(stderr, "gm-algorithms: %s=%s is not among:", key, text);
	for (int i = 0; names[i]; i++)
		fprintf(stderr, " %s", names[i]);
	fputc('\n', stderr);
	exit(2);
}

void ask_end(const struct ask *ask)
{
	for (int i = 0; i < ask->count; i++) {
		if (!ask->taken[i])
			fail(2, "%s has no key %s", ask->command, ask->keys[i]);
	}
}
