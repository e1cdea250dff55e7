/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/entry.h"

#include "pattern/regex.h"

#include <string.h>

int gm_starts_with(const uint8_t *text, uint32_t length, const char *word)
{
	return length >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* Snort's buffers, and R of a place behind the match before. */
static const char PLACES[] = "RUIPHDMCKSYBQVW";

static void note(struct gm_entry *entry, uint8_t letter)
{
	size_t used = strlen(entry->where);

	if (used < GM_ENTRY_NAMES && !memchr(entry->where, letter, used))
		entry->where[used] = (char)letter;
}

static void add_flag(struct gm_entry *entry, uint8_t letter)
{
	switch (letter) {
	case 'i':
		entry->flags |= GM_REGEX_CASELESS;
		break;
	case 's':
		entry->flags |= GM_REGEX_DOT_ALL;
		break;
	case 'm':
		entry->flags |= GM_REGEX_MULTILINE;
		break;
	case 'x':
		entry->flags |= GM_REGEX_EXTENDED;
		break;
	case 'A':
		entry->flags |= GM_REGEX_ANCHORED;
		break;
	case 'E':
		entry->flags &= ~(uint32_t)GM_REGEX_DOLLAR_NEWLINE;
		break;
	case 'G': /* greediness does not change whether there is a match */
		break;
	default:
		entry->ignored++;
		if (letter && strchr(PLACES, letter))
			note(entry, letter);
		else if (letter != 'O') /* Snort's limit of time */
			entry->reason = "unknown flag";
	}
}

static void read_slashes(struct gm_entry *entry,
			 void (*add)(struct gm_entry *entry, uint8_t letter))
{
	uint32_t end = entry->length;

	while (end > 1 && entry->text[end - 1] != '/')
		end--;
	if (end <= 1) {
		entry->reason = "an expression in slashes is not closed";
		return;
	}
	entry->flags |= GM_REGEX_DOLLAR_NEWLINE;
	for (uint32_t i = end; i < entry->length; i++) {
		/* Hyperscan's {min_length=3}, or Suricata's `, flow:name`. */
		if (entry->text[i] == '{' || entry->text[i] == ',') {
			entry->ignored++;
			note(entry, GM_ENTRY_PARAMETERS);
			break;
		}
		add(entry, entry->text[i]);
	}
	entry->text++;
	entry->length = end - 2;
}

void gm_entry_slashes(struct gm_entry *entry)
{
	read_slashes(entry, add_flag);
}

static void add_numbered_flag(struct gm_entry *entry, uint8_t letter)
{
	if (letter == 'i' || letter == 's' || letter == 'm')
		add_flag(entry, letter);
	else if (letter &&
		 strchr("HVPLQO", letter)) /* how often, where and in which order it is told */
		entry->ignored++;
	else
		entry->reason = letter == '8' || letter == 'W'
					? "an expression of UTF-8, not of bytes"
				: letter == 'C' ? "a combination of others"
						: "unknown flag";
}

int gm_entry_numbered(struct gm_entry *entry)
{
	uint32_t at = 0;

	while (at < entry->length && entry->text[at] >= '0' && entry->text[at] <= '9')
		at++;
	if (!at || !gm_starts_with(entry->text + at, entry->length - at, ":/"))
		return 0;
	entry->text += at + 1;
	entry->length -= at + 1;
	read_slashes(entry, add_numbered_flag);
	return 1;
}

int gm_entry_unwrap(struct gm_entry *entry)
{
	if (gm_starts_with(entry->text, entry->length, "l7:")) {
		entry->text += 3;
		entry->length -= 3;
		entry->flags |= GM_REGEX_CASELESS;
		return 1;
	}
	if (entry->length && entry->text[0] == '/') {
		gm_entry_slashes(entry);
		return 1;
	}
	return gm_entry_numbered(entry);
}

static int hex_digit(uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = byte ? strchr(digits, byte >= 'A' && byte <= 'F' ? byte + 32 : byte)
				 : NULL;

	return digit ? (int)(digit - digits) : -1;
}

/* The bytes of a content between two bars, from offset `at`; the offset after the second bar, or 0. */
static uint32_t hex_bytes(const struct gm_entry *entry, uint32_t at, uint8_t *bytes,
			  uint32_t *count)
{
	while (at < entry->length && entry->text[at] != '|') {
		int high = hex_digit(entry->text[at]);

		if (entry->text[at] == ' ') {
			at++;
			continue;
		}
		if (high < 0 || at + 1 >= entry->length || hex_digit(entry->text[at + 1]) < 0)
			return 0;
		bytes[(*count)++] = (uint8_t)(high * 16 + hex_digit(entry->text[at + 1]));
		at += 2;
	}
	return at < entry->length ? at + 1 : 0;
}

/* Snort's escapes; before another letter, as in `C:\\Windows`, a backslash is one. */
static uint32_t is_escape(const struct gm_entry *entry, uint32_t at)
{
	uint8_t next = at + 1 < entry->length ? entry->text[at + 1] : 0;

	return entry->text[at] == '\\' && next && strchr(";:\"|\\", next);
}

uint32_t gm_entry_bytes(struct gm_entry *entry, uint8_t *bytes)
{
	uint32_t count = 0;

	if (entry->is_plain) {
		memcpy(bytes, entry->text, entry->length);
		return entry->length;
	}
	for (uint32_t at = 0; at < entry->length;) {
		if (entry->text[at] == '|') {
			at = hex_bytes(entry, at + 1, bytes, &count);
			if (!at) {
				entry->reason = "bytes in bars that are not hexadecimal";
				return 0;
			}
			continue;
		}
		at += is_escape(entry, at);
		bytes[count++] = entry->text[at++];
	}
	if (!count)
		entry->reason = "an empty content";
	return count;
}
