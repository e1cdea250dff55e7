// SPDX-License-Identifier: Apache-2.0
/*
 * A strict reader (RFC 8259) for one JSON object: its members are numbers, strings, true, false,
 * null, arrays of these, or objects of all these but objects. It pulls: the caller asks for the next
 * member, and for an array's elements or an object's members before the next member. Strings are
 * decoded in place; nothing is allocated.
 */
#ifndef GM_JSON_H
#define GM_JSON_H

#include <stdbool.h>
#include <stdint.h>

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_value {
	enum json_type type;
	const char *text; /* JSON_STRING: decoded, NUL-terminated, inside the caller's text */
	double number; /* JSON_NUMBER; 0 or 1 for JSON_BOOL */
	int64_t integer; /* the same, where whole */
	bool whole; /* the number is an integer of at most 2^53 in size */
};

struct json {
	char *at;
	bool inner; /* in an object inside the object */
	bool first; /* no comma is due before the next member or element */
	const char *reason; /* after -EINVAL: what is wrong, a constant string */
};

/* Begins to read text, which is NUL-terminated and gets overwritten. 0 or -EINVAL. */
int json_open(struct json *json, char *text);

/*
 * 1: a member; 0: the object has ended and nothing follows it; -EINVAL. After a JSON_OBJECT value its
 * members come first; their 0 says that the inner object has ended.
 */
int json_member(struct json *json, const char **key, struct json_value *value);

/* After a JSON_ARRAY value. 1: an element; 0: the array has ended; -EINVAL. */
int json_element(struct json *json, struct json_value *value);

#endif
