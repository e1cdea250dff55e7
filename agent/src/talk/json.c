// SPDX-License-Identifier: Apache-2.0
/* Strict reader for one JSON object. */
#include "talk/json.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define INTEGER_LIMIT 9007199254740992.0 /* 2^53: above it doubles skip integers */

static int refuse(struct json *json, const char *reason)
{
	json->reason = reason;
	return -EINVAL;
}

/*
 * No strspn() here, and strtod() only on a text cut off behind the number: zig's C library measures
 * the whole rest of the text in both, which made a list of 65 536 numbers take 30 s.
 */
static void skip_space(struct json *json)
{
	while (*json->at == ' ' || *json->at == '\t' || *json->at == '\r' || *json->at == '\n')
		json->at++;
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

static char *skip_digits(char *at)
{
	while (digit(*at))
		at++;
	return at;
}

static int hex4(const char *text)
{
	int code = 0;

	for (int i = 0; i < 4; i++) {
		char c = text[i];
		int d = digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;

		if (!digit(c) && ((c | 0x20) < 'a' || (c | 0x20) > 'f'))
			return -1;
		code = code << 4 | d;
	}
	return code;
}

static char *utf8_store(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
		*to++ = (char)(0x80 | (code & 0x3f));
	}
	return to;
}

/* \uXXXX, with json->at behind the u; a surrogate pair is two of them (RFC 8259 section 7). */
static int unicode_escape(struct json *json, char **to)
{
	int high = hex4(json->at);
	int low;

	if (high <= 0)
		return refuse(json, "bad \\u escape in a string");
	json->at += 4;
	if (high < 0xd800 || high > 0xdfff) {
		*to = utf8_store(*to, (uint32_t)high);
		return 0;
	}
	if (high > 0xdbff || json->at[0] != '\\' || json->at[1] != 'u')
		return refuse(json, "half a surrogate pair in a string");
	low = hex4(json->at + 2);
	if (low < 0xdc00 || low > 0xdfff)
		return refuse(json, "half a surrogate pair in a string");
	json->at += 6;
	*to = utf8_store(*to,
			 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
	return 0;
}

static int escape(struct json *json, char **to)
{
	static const char from[] = "\"\\/bfnrt";
	static const char into[] = "\"\\/\b\f\n\r\t";
	char c = *json->at++;
	const char *place;

	if (c == 'u')
		return unicode_escape(json, to);
	place = c ? strchr(from, c) : NULL;
	if (!place)
		return refuse(json, "bad escape in a string");
	*(*to)++ = into[place - from];
	return 0;
}

/* Decodes in place: what is decoded is never longer than its source. */
static int string(struct json *json, const char **text)
{
	char *to;

	if (*json->at != '"')
		return refuse(json, "a string in double quotes is expected");
	to = ++json->at;
	*text = to;
	while (*json->at != '"') {
		char c = *json->at++;

		if ((unsigned char)c < 0x20)
			return refuse(json,
				      c ? "control character in a string" : "string without end");
		if (c != '\\')
			*to++ = c;
		else if (escape(json, &to) < 0)
			return -EINVAL;
	}
	json->at++;
	*to = '\0';
	return 0;
}

/*
 * RFC 8259 section 6: what strtod takes and JSON does not (hex, inf, +1, 01, .5) is refused here.
 */
static int number(struct json *json, struct json_value *value)
{
	char *at = json->at + (*json->at == '-');
	char behind;

	if (!digit(*at) || (*at == '0' && digit(at[1])))
		return refuse(json, "a value is expected");
	at = skip_digits(at);
	if (*at == '.') {
		if (!digit(*++at))
			return refuse(json, "a digit is expected after the decimal point");
		at = skip_digits(at);
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		if (!digit(*at))
			return refuse(json, "a digit is expected in the exponent");
		at = skip_digits(at);
	}
	behind = *at;
	*at = '\0';
	value->type = JSON_NUMBER;
	value->number = strtod(json->at, NULL);
	*at = behind;
	if (value->number >= -INTEGER_LIMIT && value->number <= INTEGER_LIMIT) {
		value->integer = (int64_t)value->number;
		value->whole = (double)value->integer == value->number;
	}
	json->at = at;
	return 0;
}

static int word(struct json *json, struct json_value *value)
{
	static const struct {
		const char *text;
		enum json_type type;
		int number;
	} words[] = { { "true", JSON_BOOL, 1 },
		      { "false", JSON_BOOL, 0 },
		      { "null", JSON_NULL, 0 } };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i].text);

		if (strncmp(json->at, words[i].text, length) != 0)
			continue;
		value->type = words[i].type;
		value->integer = words[i].number;
		value->number = words[i].number;
		json->at += length;
		return 0;
	}
	return number(json, value);
}

static int scalar(struct json *json, struct json_value *value)
{
	*value = (struct json_value){ .type = JSON_NULL };
	switch (*json->at) {
	case '"':
		value->type = JSON_STRING;
		return string(json, &value->text);
	case '{':
	case '[':
		return refuse(json, "objects and arrays inside others are not taken");
	default:
		return word(json, value);
	}
}

/* 0: something follows; 1: closed by end; -EINVAL. Takes the comma between two things. */
static int separator(struct json *json, char end)
{
	skip_space(json);
	if (*json->at == end) {
		json->at++;
		json->first = false;
		return 1;
	}
	if (!json->first) {
		if (*json->at != ',')
			return refuse(json, "a comma or the end is expected");
		json->at++;
		skip_space(json);
	}
	json->first = false;
	return 0;
}

int json_open(struct json *json, char *text)
{
	*json = (struct json){ .first = true };
	json->at = text;
	skip_space(json);
	if (*json->at != '{')
		return refuse(json, "the line is not a JSON object");
	json->at++;
	return 0;
}

int json_member(struct json *json, const char **key, struct json_value *value)
{
	int ended = separator(json, '}');

	if (ended < 0)
		return ended;
	if (ended && json->inner) {
		json->inner = false;
		return 0;
	}
	if (ended) {
		skip_space(json);
		return *json->at ? refuse(json, "something follows the object") : 0;
	}
	if (string(json, key) < 0)
		return -EINVAL;
	skip_space(json);
	if (*json->at++ != ':')
		return refuse(json, "a colon is expected after the key");
	skip_space(json);
	if (*json->at == '[' || (*json->at == '{' && !json->inner)) {
		json->inner |= *json->at == '{';
		*value = (struct json_value){ .type = *json->at == '[' ? JSON_ARRAY : JSON_OBJECT };
		json->at++;
		json->first = true;
		return 1;
	}
	return scalar(json, value) < 0 ? -EINVAL : 1;
}

int json_element(struct json *json, struct json_value *value)
{
	int ended = separator(json, ']');

	if (ended)
		return ended < 0 ? ended : 0;
	return scalar(json, value) < 0 ? -EINVAL : 1;
}
