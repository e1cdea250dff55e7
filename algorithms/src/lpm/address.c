/* SPDX-License-Identifier: Apache-2.0 */
#include "lpm/address.h"

#include <string.h>

enum { GROUPS = 8 };

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* Reads a number of at most `digits` digits; -1 if there is none, or it is above `most`. */
static int number(struct gm_text *text, int base, int digits, int most)
{
	int value = 0;
	int count = 0;

	for (; text->at < text->end && digit_of(*text->at) < base; text->at++) {
		value = value * base + digit_of(*text->at);
		if (++count > digits)
			return -1;
	}
	return count && value <= most ? value : -1;
}

static int skip(struct gm_text *text, char c)
{
	if (text->at == text->end || *text->at != c)
		return 0;
	text->at++;
	return 1;
}

static int parse4(struct gm_text *text, struct gm_key *key)
{
	uint32_t address = 0;

	for (int i = 0; i < 4; i++) {
		int byte;

		if (i && !skip(text, '.'))
			return 0;
		byte = number(text, 10, 3, 255);
		if (byte < 0)
			return 0;
		address = address << 8 | (uint32_t)byte;
	}
	*key = gm_key4(address);
	return 1;
}

static struct gm_key joined(const uint16_t *groups)
{
	struct gm_key key = { 0, 0 };

	for (int i = 0; i < 4; i++) {
		key.hi = key.hi << 16 | groups[i];
		key.lo = key.lo << 16 | groups[i + 4];
	}
	return key;
}

/* Reads groups up to `::`, the slash or the eighth; returns how many, or -1. */
static int groups_of(struct gm_text *text, uint16_t *groups, int most)
{
	int count = 0;

	while (count < most && text->at < text->end && digit_of(*text->at) < 16) {
		int group = number(text, 16, 4, 0xffff);

		if (group < 0)
			return -1;
		groups[count++] = (uint16_t)group;
		if (text->end - text->at < 2 || text->at[0] != ':' || text->at[1] == ':')
			break;
		if (count == most || digit_of(text->at[1]) >= 16)
			return -1;
		text->at++;
	}
	return count;
}

static int parse6(struct gm_text *text, struct gm_key *key)
{
	uint16_t groups[GROUPS] = { 0 };
	uint16_t tail[GROUPS] = { 0 };
	int count = groups_of(text, groups, GROUPS);
	int after;

	if (count < 0)
		return 0;
	if (skip(text, ':')) {
		if (!skip(text, ':') || count == GROUPS)
			return 0;
		/* `::` is at least one group of zeros. */
		after = groups_of(text, tail, GROUPS - 1 - count);
		if (after < 0)
			return 0;
		memcpy(groups + GROUPS - after, tail, (size_t)after * sizeof(*tail));
	} else if (count != GROUPS) {
		return 0;
	}
	*key = joined(groups);
	return 1;
}

const char *gm_address_alone(struct gm_text text, unsigned *family, struct gm_key *key,
			     uint32_t *length)
{
	*family = memchr(text.at, ':', (size_t)(text.end - text.at)) ? 6 : 4;
	*length = *family == 4 ? 32 : 128;
	if ((*family == 4 ? parse4(&text, key) : parse6(&text, key)) && text.at == text.end)
		return NULL;
	return "not an address";
}

/* The length of a mask, as 255.255.0.0 is 16; -1 of one with gaps, and where it is none. */
static int mask_length(struct gm_text text)
{
	struct gm_key mask;
	int bits = 0;

	if (!parse4(&text, &mask) || text.at != text.end)
		return -1;
	while (bits < 32 && (mask.hi >> (63 - bits) & 1))
		bits++;
	return mask.hi == gm_key_mask((uint32_t)bits).hi ? bits : -1;
}

const char *gm_address_parse(struct gm_text text, unsigned *family, struct gm_key *key,
			     uint32_t *length)
{
	const char *slash = memchr(text.at, '/', (size_t)(text.end - text.at));
	int bits;

	if (!slash)
		return "no slash and length after the address";
	*family = memchr(text.at, ':', (size_t)(slash - text.at)) ? 6 : 4;
	if (!(*family == 4 ? parse4(&text, key) : parse6(&text, key)) || text.at != slash)
		return "not an address";
	text.at++;
	if (*family == 4 && memchr(text.at, '.', (size_t)(text.end - text.at))) {
		bits = mask_length(text);
		text.at = text.end;
	} else {
		bits = number(&text, 10, 3, *family == 4 ? 32 : 128);
	}
	if (bits < 0 || text.at != text.end)
		return *family == 4 ? "the length is not a number from 0 to 32"
				    : "the length is not a number from 0 to 128";
	*length = (uint32_t)bits;
	return NULL;
}
