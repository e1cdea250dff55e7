// SPDX-License-Identifier: Apache-2.0
/* Requests by a table of keys. */
#include "talk/request.h"
#include "talk/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	void *request;
	struct json json;
	const struct key *tables[2];
	uint64_t seen[2]; /* a bit for each key of a table */
	struct fault *fault;
};

static const char *kind_name(enum key_kind kind)
{
	switch (kind) {
	case KEY_INTEGER:
		return "an integer";
	case KEY_NUMBER:
		return "a number";
	case KEY_TEXT:
		return "a string";
	case KEY_CHOICE:
		return "one of its words";
	case KEY_FLAG:
		return "true or false";
	case KEY_OBJECT:
		return "an object";
	case KEY_INTEGERS:
		return "an integer or a list of integers";
	case KEY_TEXTS:
		return "a list of strings";
	case KEY_CHOICES:
		return "a list of its words";
	}
	return "something else";
}

static void *field(const struct reader *reader, const struct key *key)
{
	return (char *)reader->request + key->offset;
}

/* Joins names with ", " into text, as much as fits. */
static void append_name(char *text, size_t size, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
}

static int refuse_json(struct reader *reader, const char *key)
{
	return fault_set(reader->fault, -EINVAL, key, "send one JSON object on one line", "%s",
			 reader->json.reason);
}

static int refuse_type(struct reader *reader, const struct key *key)
{
	return fault_set(reader->fault, -EINVAL, key->name, key->help, "%s has to be %s", key->name,
			 kind_name(key->kind));
}

static void refuse_unknown(struct reader *reader, const char *name)
{
	char known[400] = "";

	for (int t = 0; t < 2; t++)
		for (const struct key *key = reader->tables[t]; key && key->name; key++)
			append_name(known, sizeof(known), key->name);
	fault_fill(reader->fault, name, "", "there is no key of this name");
	snprintf(reader->fault->fix, sizeof(reader->fault->fix), "known keys: %s", known);
}

static int refuse_choice(struct reader *reader, const struct key *key, const char *word)
{
	char known[400] = "";

	for (const char *const *choice = key->choices; *choice; choice++)
		append_name(known, sizeof(known), *choice);
	fault_fill(reader->fault, key->name, "", "%s cannot be \"%.40s\"", key->name, word);
	snprintf(reader->fault->fix, sizeof(reader->fault->fix), "one of: %s", known);
	return -EINVAL;
}

static int check_range(struct reader *reader, const struct key *key, double value)
{
	if (value >= (double)key->min && value <= (double)key->max)
		return 0;
	return fault_set(reader->fault, -EINVAL, key->name, key->help, "%s has to be %lld to %lld",
			 key->name, (long long)key->min, (long long)key->max);
}

static int read_integer(struct reader *reader, const struct key *key,
			const struct json_value *value, int64_t *into)
{
	if (value->type != JSON_NUMBER || !value->whole)
		return refuse_type(reader, key);
	*into = value->integer;
	return check_range(reader, key, value->number);
}

static int read_number(struct reader *reader, const struct key *key, const struct json_value *value)
{
	if (value->type != JSON_NUMBER)
		return refuse_type(reader, key);
	*(double *)field(reader, key) = value->number;
	return check_range(reader, key, value->number);
}

static int read_word(struct reader *reader, const struct key *key, const struct json_value *value)
{
	if (value->type != JSON_STRING)
		return refuse_type(reader, key);
	for (int i = 0; key->choices[i]; i++)
		if (strcmp(key->choices[i], value->text) == 0)
			return i;
	return refuse_choice(reader, key, value->text);
}

static int read_text(struct reader *reader, const struct key *key, const struct json_value *value)
{
	if (value->type != JSON_STRING || !*value->text)
		return refuse_type(reader, key);
	*(const char **)field(reader, key) = value->text;
	return 0;
}

/* Makes room for item number count of a list; sizes are powers of two. */
static int grow(struct reader *reader, const struct key *key, void **items, size_t count,
		size_t item_bytes)
{
	void *more;

	if (count == REQUEST_LIST_MAX)
		return fault_set(reader->fault, -EINVAL, key->name, key->help,
				 "%s has more than %d items", key->name, REQUEST_LIST_MAX);
	if (count && count & (count - 1))
		return 0;
	more = realloc(*items, (count ? 2 * count : 1) * item_bytes);
	if (!more)
		return fault_system(reader->fault, -ENOMEM, key->name, "a list of the request");
	*items = more;
	return 0;
}

static int append_integer(struct reader *reader, const struct key *key,
			  const struct json_value *value)
{
	struct integers *list = field(reader, key);
	void *items = list->item;
	int64_t integer = 0;
	int error = grow(reader, key, &items, list->count, sizeof(list->item[0]));

	if (error)
		return error;
	list->item = items;
	error = read_integer(reader, key, value, &integer);
	if (!error)
		list->item[list->count++] = (int32_t)integer;
	return error;
}

static int append_text(struct reader *reader, const struct key *key, const struct json_value *value)
{
	struct texts *list = field(reader, key);
	void *items = (void *)list->item;
	int error;

	if (value->type != JSON_STRING || !*value->text)
		return refuse_type(reader, key);
	error = grow(reader, key, &items, list->count, sizeof(list->item[0]));
	if (error)
		return error;
	list->item = (const char **)items;
	list->item[list->count++] = value->text;
	return 0;
}

static int read_item(struct reader *reader, const struct key *key, const struct json_value *value)
{
	int bit;

	switch (key->kind) {
	case KEY_INTEGERS:
		return append_integer(reader, key, value);
	case KEY_TEXTS:
		return append_text(reader, key, value);
	case KEY_CHOICES:
		bit = read_word(reader, key, value);
		if (bit >= 0)
			*(unsigned int *)field(reader, key) |= 1u << bit;
		return bit < 0 ? bit : 0;
	default:
		return refuse_type(reader, key);
	}
}

static int read_list(struct reader *reader, const struct key *key)
{
	struct json_value value;
	int more;

	while ((more = json_element(&reader->json, &value)) > 0) {
		int error = read_item(reader, key, &value);

		if (error)
			return error;
	}
	return more ? refuse_json(reader, key->name) : 0;
}

static int read_flag(struct reader *reader, const struct key *key, const struct json_value *value)
{
	if (value->type != JSON_BOOL)
		return refuse_type(reader, key);
	*(bool *)field(reader, key) = value->integer;
	return 0;
}

static int read_value(struct reader *reader, const struct key *key, const struct json_value *value)
{
	int word;

	if (value->type == JSON_ARRAY && key->kind >= KEY_INTEGERS)
		return read_list(reader, key);
	switch (key->kind) {
	case KEY_INTEGER:
		return read_integer(reader, key, value, field(reader, key));
	case KEY_NUMBER:
		return read_number(reader, key, value);
	case KEY_TEXT:
		return read_text(reader, key, value);
	case KEY_INTEGERS:
		return append_integer(reader, key, value);
	case KEY_CHOICE:
		word = read_word(reader, key, value);
		*(int *)field(reader, key) = word;
		return word < 0 ? word : 0;
	case KEY_FLAG:
		return read_flag(reader, key, value);
	default:
		return refuse_type(reader, key);
	}
}

/* The index of a name in a table, or -1. */
static int find_in(const struct key *table, const char *name)
{
	for (int i = 0; table && table[i].name; i++)
		if (strcmp(table[i].name, name) == 0)
			return i;
	return -1;
}

/* Finds a key by name and marks it as seen; NULL with the fault filled. */
static const struct key *find_key(struct reader *reader, const char *name)
{
	for (int t = 0; t < 2; t++) {
		const struct key *table = reader->tables[t];
		int i = find_in(table, name);

		if (i < 0)
			continue;
		if (!(reader->seen[t] & 1ull << i)) {
			reader->seen[t] |= 1ull << i;
			return &table[i];
		}
		fault_fill(reader->fault, table[i].name, "give it once", "%s is given twice", name);
		return NULL;
	}
	refuse_unknown(reader, name);
	return NULL;
}

typedef int (*take_value)(struct reader *reader, const struct key *key,
			  const struct json_value *value);

static int read_members(struct reader *reader, take_value take)
{
	struct json_value value;
	const char *name;
	int more;

	while ((more = json_member(&reader->json, &name, &value)) > 0) {
		const struct key *key = find_key(reader, name);
		int error = key ? take(reader, key, &value) : -EINVAL;

		if (error)
			return error;
	}
	return more ? refuse_json(reader, NULL) : 0;
}

static int check_required(struct reader *reader)
{
	for (int t = 0; t < 2; t++) {
		const struct key *table = reader->tables[t];

		for (int i = 0; table && table[i].name; i++)
			if (table[i].required && !(reader->seen[t] & 1ull << i))
				return fault_set(reader->fault, -EINVAL, table[i].name,
						 table[i].help, "%s is missing", table[i].name);
	}
	return 0;
}

static void preset(void *request, const struct key *keys)
{
	for (const struct key *key = keys; key && key->name; key++) {
		void *at = (char *)request + key->offset;

		if (key->kind == KEY_INTEGER)
			*(int64_t *)at = key->preset;
		else if (key->kind == KEY_NUMBER)
			*(double *)at = (double)key->preset;
		else if (key->kind == KEY_CHOICE)
			*(int *)at = (int)key->preset;
	}
}

/* A fault names the object; its reason names the key in it. */
static int read_object(struct reader *reader, const struct key *key)
{
	struct reader inner = { .request = field(reader, key),
				.json = reader->json,
				.tables = { key->keys },
				.fault = reader->fault };
	int error;

	preset(inner.request, key->keys);
	error = read_members(&inner, read_value);
	if (!error)
		error = check_required(&inner);
	if (error)
		reader->fault->key = key->name;
	reader->json = inner.json;
	return error;
}

static int read_any(struct reader *reader, const struct key *key, const struct json_value *value)
{
	if (value->type == JSON_OBJECT && key->kind == KEY_OBJECT)
		return read_object(reader, key);
	return read_value(reader, key, value);
}

int request_read(void *request, char *text, const struct key *keys, const struct key *more,
		 struct fault *fault)
{
	struct reader reader = { .request = request, .tables = { keys, more }, .fault = fault };
	int error;

	preset(request, keys);
	preset(request, more);
	if (json_open(&reader.json, text) < 0)
		return refuse_json(&reader, NULL);
	error = read_members(&reader, read_any);
	return error ? error : check_required(&reader);
}

void request_release(void *request, const struct key *keys)
{
	for (const struct key *key = keys; key && key->name; key++) {
		void *at = (char *)request + key->offset;

		if (key->kind == KEY_INTEGERS)
			free(((struct integers *)at)->item);
		else if (key->kind == KEY_TEXTS)
			free((void *)((struct texts *)at)->item);
	}
}
