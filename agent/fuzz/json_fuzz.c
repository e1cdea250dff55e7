// SPDX-License-Identifier: Apache-2.0
/* What is written as a JSON line is read back as it was, whatever the values. */
#include "fuzz/fuzz.h"
#include "talk/json.h"
#include "talk/line.h"

#include <sys/mman.h>
#include <unistd.h>

#define MEMBERS_MAX 32
#define TEXT_MAX 300
#define WORDS 3

enum kind { TEXT, INTEGER, COUNT, BASE64, LIST, KINDS };

struct member {
	enum kind kind;
	char key[8], text[TEXT_MAX + 1];
	int64_t integer;
	uint64_t word[WORDS];
};

/* Any bytes but NUL, which ends a text. */
static void draw_text(struct input *input, char *text, size_t room)
{
	size_t length = input_8(input) % room;

	for (size_t i = 0; i < length; i++) {
		uint8_t byte = input_8(input);

		text[i] = (char)(byte ? byte : 1);
	}
	text[length] = '\0';
}

static void draw(struct input *input, struct member *member)
{
	member->kind = input_8(input) % KINDS;
	draw_text(input, member->key, sizeof(member->key));
	draw_text(input, member->text, TEXT_MAX < input->left ? TEXT_MAX : input->left + 1);
	member->integer = (int64_t)input_64(input);
	for (int i = 0; i < WORDS; i++)
		member->word[i] = input_64(input);
}

static void write_member(struct line *line, const struct member *member)
{
	switch (member->kind) {
	case TEXT:
		line_text(line, member->key, member->text);
		break;
	case INTEGER:
		line_integer(line, member->key, member->integer);
		break;
	case COUNT:
		line_count(line, member->key, (uint64_t)member->integer);
		break;
	case BASE64:
		line_words(line, member->key, member->word, WORDS);
		break;
	default:
		line_list(line, member->key);
		line_text(line, NULL, member->text);
		line_integer(line, NULL, member->integer);
		line_close(line, ']');
	}
}

static void check_number(const struct json_value *value, double number)
{
	REQUIRE(value->type == JSON_NUMBER && value->number == number);
	if (value->whole)
		REQUIRE((double)value->integer == number);
}

static uint8_t decode(char digit)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = strchr(digits, digit);

	REQUIRE(at && digit);
	return (uint8_t)(at - digits);
}

/* 24 bytes are 32 digits, without padding. */
static void check_words(const struct member *member, const char *text)
{
	REQUIRE(strlen(text) == sizeof(member->word) * 4 / 3);
	for (size_t i = 0; i < sizeof(member->word); i++) {
		const char *four = text + i / 3 * 4;
		uint32_t three = 0;

		for (int digit = 0; digit < 4; digit++)
			three = three << 6 | decode(four[digit]);
		REQUIRE((uint8_t)(three >> (16 - 8 * (i % 3))) ==
			(uint8_t)(member->word[i / 8] >> (8 * (i % 8))));
	}
}

static void check_list(struct json *json, const struct member *member)
{
	struct json_value value;

	REQUIRE(json_element(json, &value) == 1 && value.type == JSON_STRING);
	REQUIRE(strcmp(value.text, member->text) == 0);
	REQUIRE(json_element(json, &value) == 1);
	check_number(&value, (double)member->integer);
	REQUIRE(json_element(json, &value) == 0);
}

static void check_member(struct json *json, const struct member *member)
{
	struct json_value value;
	const char *key;

	REQUIRE(json_member(json, &key, &value) == 1 && strcmp(key, member->key) == 0);
	switch (member->kind) {
	case TEXT:
		REQUIRE(value.type == JSON_STRING && strcmp(value.text, member->text) == 0);
		break;
	case INTEGER:
		check_number(&value, (double)member->integer);
		break;
	case COUNT:
		check_number(&value, (double)(uint64_t)member->integer);
		break;
	case BASE64:
		REQUIRE(value.type == JSON_STRING);
		check_words(member, value.text);
		break;
	default:
		REQUIRE(value.type == JSON_ARRAY);
		check_list(json, member);
	}
}

static char *read_file(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = calloc(1, (size_t)size + 1);

	REQUIRE(text && pread(fd, text, (size_t)size, 0) == size);
	REQUIRE(size && text[size - 1] == '\n' && !memchr(text, '\n', (size_t)size - 1));
	return text;
}

static void check_line(int fd, const struct member *member, size_t count)
{
	char *text = read_file(fd);
	struct json_value value;
	struct json json;
	const char *key;

	REQUIRE(json_open(&json, text) == 0);
	REQUIRE(json_member(&json, &key, &value) == 1 && strcmp(value.text, "fuzz") == 0);
	for (size_t i = 0; i < count; i++)
		check_member(&json, &member[i]);
	REQUIRE(json_member(&json, &key, &value) == 0);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct member member[MEMBERS_MAX];
	struct input input = { data, size };
	struct line line = { .fd = memfd_create("line", MFD_CLOEXEC) };
	size_t count = 0;

	REQUIRE(line.fd >= 0);
	line_begin(&line, "fuzz");
	for (; input.left && count < MEMBERS_MAX; count++) {
		draw(&input, &member[count]);
		write_member(&line, &member[count]);
	}
	line_end(&line);
	REQUIRE(!line.error);
	check_line(line.fd, member, count);
	close(line.fd);
	return 0;
}
