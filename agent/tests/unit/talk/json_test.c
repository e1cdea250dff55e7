// SPDX-License-Identifier: Apache-2.0
#include "talk/json.h"
#include "tests/test.h"

#include <errno.h>
#include <stdlib.h>

static char *text;

/* A copy on the heap, so that the sanitizer sees every byte read past the end. */
static void open_copy(struct json *json, const char *source)
{
	free(text);
	text = strdup(source);
	CHECK_EQUAL(json_open(json, text), 0);
}

/* Reads all there is; how many members, or -EINVAL. */
static int count_members(const char *source)
{
	struct json json;
	struct json_value value;
	const char *key;
	int count = 0;
	int more;

	free(text);
	text = strdup(source);
	if (json_open(&json, text))
		return -EINVAL;
	while ((more = json_member(&json, &key, &value)) > 0) {
		count++;
		while (value.type == JSON_ARRAY && (more = json_element(&json, &value)) > 0)
			value.type = JSON_ARRAY;
		if (more < 0)
			break;
	}
	return more < 0 ? more : count;
}

TEST(json_scalars)
{
	struct json json;
	struct json_value value;
	const char *key;

	open_copy(&json, " {\"a\" : -12, \"b\":2.5e3,\"c\":\"x\" , \"d\":true,\"e\":null} ");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_TEXT(key, "a");
	CHECK(value.type == JSON_NUMBER && value.whole && value.integer == -12);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(value.whole && value.integer == 2500 && value.number == 2500.0);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(value.type == JSON_STRING);
	CHECK_TEXT(value.text, "x");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(value.type == JSON_BOOL && value.integer == 1);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(value.type == JSON_NULL);
	CHECK_EQUAL(json_member(&json, &key, &value), 0);
}

TEST(json_arrays)
{
	struct json json;
	struct json_value value;
	const char *key;

	open_copy(&json, "{\"a\":[1, 2 ,3],\"b\":[],\"c\":[\"x\"],\"d\":4}");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(value.type == JSON_ARRAY);
	for (int i = 1; i <= 3; i++) {
		CHECK_EQUAL(json_element(&json, &value), 1);
		CHECK_EQUAL(value.integer, i);
	}
	CHECK_EQUAL(json_element(&json, &value), 0);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_EQUAL(json_element(&json, &value), 0);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_EQUAL(json_element(&json, &value), 1);
	CHECK_TEXT(value.text, "x");
	CHECK_EQUAL(json_element(&json, &value), 0);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_EQUAL(value.integer, 4);
	CHECK_EQUAL(json_member(&json, &key, &value), 0);
}

TEST(json_escapes)
{
	struct json json;
	struct json_value value;
	const char *key;

	open_copy(&json, "{\"\\u0041\\n\":\" \\\"\\\\\\/\\b\\u00e4\\u20ac\\ud83d\\ude00\"}");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_TEXT(key, "A\n");
	CHECK_TEXT(value.text, " \"\\/\b\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

/* The first and the last code of each length in UTF-8. */
TEST(json_escapes_at_the_ends_of_a_length)
{
	struct json json;
	struct json_value value;
	const char *key;

	open_copy(&json, "{\"a\":\"\\u007f\\u0080\\u07ff\\u0800\\ud7ff\\ue000\\uffff\\ud800\\udc00"
			 "\\udbff\\udfff\"}");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_TEXT(value.text,
		   "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"
		   "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

TEST(json_numbers_with_an_exponent)
{
	struct json json;
	struct json_value value;
	const char *key;

	open_copy(&json, "{\"a\":25e-1,\"b\":25E+1,\"c\":25e1}");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(value.number == 2.5);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_EQUAL(value.integer, 250);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_EQUAL(value.integer, 250);
}

TEST(json_numbers)
{
	struct json json;
	struct json_value value;
	const char *key;

	open_copy(&json, "{\"a\":9007199254740993,\"b\":0.5,\"c\":-0,\"d\":1e999}");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(value.whole); /* 2^53, the nearest double */
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(!value.whole);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(value.whole && value.integer == 0);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK(!value.whole);
}

TEST(json_objects_in_the_object)
{
	struct json_value value;
	struct json json;
	const char *key;

	open_copy(&json, "{\"a\":{ \"b\":1,\"c\":[2]},\"d\":{},\"e\":3}");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_TEXT(key, "a");
	CHECK_EQUAL(value.type, JSON_OBJECT);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_TEXT(key, "b");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_EQUAL(value.type, JSON_ARRAY);
	CHECK_EQUAL(json_element(&json, &value), 1);
	CHECK_EQUAL(json_element(&json, &value), 0);
	CHECK_EQUAL(json_member(&json, &key, &value), 0);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_TEXT(key, "d");
	CHECK_EQUAL(json_member(&json, &key, &value), 0);
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_EQUAL(value.integer, 3);
	CHECK_EQUAL(json_member(&json, &key, &value), 0);
}

TEST(json_refuses_an_object_without_end)
{
	struct json_value value;
	struct json json;
	const char *key;

	open_copy(&json, "{\"a\":{}");
	CHECK_EQUAL(json_member(&json, &key, &value), 1);
	CHECK_EQUAL(json_member(&json, &key, &value), 0);
	CHECK_EQUAL(json_member(&json, &key, &value), -EINVAL);
}

TEST(json_refuses)
{
	static const char *const bad[] = {
		"",
		"[]",
		"1",
		"{",
		"{\"a\"}",
		"{\"a\":}",
		"{\"a\":1",
		"{\"a\":1,}",
		"{,}",
		"{a:1}",
		"{\"a\":1}x",
		"{\"a\":1}{}",
		"{\"a\":01}",
		"{\"a\":+1}",
		"{\"a\":.5}",
		"{\"a\":1.}",
		"{\"a\":1e}",
		"{\"a\":0x10}",
		"{\"a\":inf}",
		"{\"a\":nan}",
		"{\"a\":'x'}",
		"{\"a\":\"x}",
		"{\"a\":\"\\x\"}",
		"{\"a\":\"\\u12\"}",
		"{\"a\":\"\\u00@1\"}",
		"{\"a\":\"\\u00g1\"}",
		"{\"a\":\"\\ud800\"}",
		"{\"a\":\"\\udc00\\udc00\"}",
		"{\"a\":\"\\ud800\\ud800\"}",
		"{\"a\":\"\\ud800\\n\"}",
		"{\"a\":\"\\ud800\\ndc00\"}",
		"{\"a\":\"\\ud800xudc00\"}",
		"{\"a\":\"\\u0000\"}",
		"{\"a\":\"\t\"}",
		"{\"a\":[1,]}",
		"{\"a\":[1 2]}",
		"{\"a\":[1}",
		"{\"a\":{\"b\":{}}}",
		"{\"a\":[{}]}",
		"{\"a\":{\"b\":1 \"c\":2}}",
		"{\"a\":[[1]]}",
		"{\"a\":tru}",
		"{\"a\":1 \"b\":2}",
		"{\"a\":\"\\",
		"{\"a\":-}",
		"{\"a\":[",
		"{\"a\":[1,",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int count = count_members(bad[i]);

		if (count >= 0)
			printf("# taken: %s\n", bad[i]);
		CHECK_EQUAL(count, -EINVAL);
	}
	CHECK_EQUAL(count_members("{}"), 0);
	CHECK_EQUAL(count_members("{\"a\":[],\"b\":1}"), 2);
	free(text);
	text = NULL;
}
