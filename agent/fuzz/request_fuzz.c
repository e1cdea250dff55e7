// SPDX-License-Identifier: Apache-2.0
/*
 * Any text as a request of every verb: a result within the table's bounds, or a fault with words.
 */
#include "fuzz/fuzz.h"
#include "talk/request.h"
#include "verbs/verb.h"

#include <errno.h>

static const struct verb *const verbs[] = { &verb_send,	  &verb_sink,  &verb_stream, &verb_connect,
					    &verb_replay, &verb_watch, &verb_slow,   &verb_forward,
					    &verb_line,	  &verb_soak,  &verb_look };

static void check_number(const struct key *key, double value)
{
	/* What is left out has its preset, within the bounds or not. */
	REQUIRE(value == (double)key->preset ||
		(value >= (double)key->min && value <= (double)key->max));
}

static void check_choice(const struct key *key, int64_t value)
{
	int64_t choices = 0;

	while (key->choices[choices])
		choices++;
	REQUIRE(value >= 0 && value < choices);
}

static void check_lists(const struct key *key, const void *at)
{
	const struct integers *integers = at;
	const struct texts *texts = at;

	if (key->kind == KEY_INTEGERS)
		for (size_t i = 0; i < integers->count; i++)
			REQUIRE(integers->item[i] >= key->min && integers->item[i] <= key->max);
	if (key->kind == KEY_TEXTS)
		for (size_t i = 0; i < texts->count; i++)
			REQUIRE(*texts->item[i]);
}

static void check_all(const void *request, const struct key *keys)
{
	for (const struct key *key = keys; key->name; key++) {
		const void *at = (const char *)request + key->offset;

		if (key->kind == KEY_OBJECT && key->required)
			check_all(at, key->keys);
		else if (key->kind == KEY_INTEGER)
			check_number(key, (double)*(const int64_t *)at);
		else if (key->kind == KEY_NUMBER)
			check_number(key, *(const double *)at);
		else if (key->kind == KEY_CHOICE)
			check_choice(key, *(const int *)at);
		else if (key->kind == KEY_TEXT && key->required)
			REQUIRE(**(const char *const *)at);
		else
			check_lists(key, at);
	}
}

/* Reading overwrites the text, so each verb has a copy. */
static void read_copy(const struct verb *verb, const uint8_t *data, size_t size)
{
	struct fault fault = { 0 };
	void *request = calloc(1, verb->request_bytes);
	char *text = malloc(size + 1);
	int error;

	REQUIRE(text && request);
	memcpy(text, data, size);
	text[size] = '\0';
	error = request_read(request, text, verb->keys, NULL, &fault);
	REQUIRE(!error || error == -EINVAL);
	if (error)
		REQUIRE(*fault.reason && *fault.fix);
	else
		check_all(request, verb->keys);
	request_release(request, verb->keys);
	free(request);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		read_copy(verbs[i], data, size);
	return 0;
}
