// SPDX-License-Identifier: Apache-2.0
/*
 * A request, read by a table of keys into the fields of a struct. A key that the table does not
 * have, a wrong type, a value out of range, a key given twice and a missing key are all faults.
 */
#ifndef GM_REQUEST_H
#define GM_REQUEST_H

#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum key_kind {
	KEY_INTEGER, /* int64_t */
	KEY_NUMBER, /* double */
	KEY_TEXT, /* const char *, inside the request's text */
	KEY_CHOICE, /* int: index into choices */
	KEY_FLAG, /* bool */
	KEY_OBJECT, /* a struct with keys of its own, none of them a list or an object */
	/* from here on lists */
	KEY_INTEGERS, /* struct integers; a single integer counts as a list */
	KEY_TEXTS, /* struct texts */
	KEY_CHOICES, /* unsigned int: a set of bits, one for each of choices */
};

struct integers {
	size_t count;
	int32_t *item;
};

struct texts {
	size_t count;
	const char **item;
};

struct key {
	const char *name; /* NULL ends a table */
	enum key_kind kind;
	size_t offset; /* of the field in the request's struct */
	bool required;
	int64_t preset; /* of numbers and choices that are left out */
	int64_t min, max; /* of numbers, and of each in a list */
	const char *const *choices; /* NULL-terminated */
	const struct key *keys; /* of an object */
	const char *help;
};

/* A key of the same name as its field in struct request. */
#define KEY(request, member, kind_, ...)                                                           \
	{ .name = #member,                                                                         \
	  .kind = KEY_##kind_,                                                                     \
	  .offset = offsetof(struct request, member),                                              \
	  __VA_ARGS__ }

#define REQUEST_LIST_MAX 100000 /* items of one list: one for each flow */

/*
 * Reads text (NUL-terminated, overwritten; must outlive the request) by two tables; the second
 * may be NULL. 0 or a negative errno with the fault filled; lists are the caller's in either
 * case, to be freed by request_release().
 */
int request_read(void *request, char *text, const struct key *keys, const struct key *more,
		 struct fault *fault);

void request_release(void *request, const struct key *keys);

#endif
