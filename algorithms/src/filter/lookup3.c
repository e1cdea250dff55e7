/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/lookup3.h"

struct state {
	uint32_t a, b, c;
};

static void mix(struct state *state)
{
	uint32_t a = state->a;
	uint32_t b = state->b;
	uint32_t c = state->c;

	a = (a - c) ^ gm_lookup3_rotated(c, 4);
	c += b;
	b = (b - a) ^ gm_lookup3_rotated(a, 6);
	a += c;
	c = (c - b) ^ gm_lookup3_rotated(b, 8);
	b += a;
	a = (a - c) ^ gm_lookup3_rotated(c, 16);
	c += b;
	b = (b - a) ^ gm_lookup3_rotated(a, 19);
	a += c;
	c = (c - b) ^ gm_lookup3_rotated(b, 4);
	b += a;
	state->a = a;
	state->b = b;
	state->c = c;
}

/* The word at byte `from`, the lowest byte first; bytes beyond the key are zero. */
static uint32_t word(const uint8_t *bytes, size_t length, size_t from)
{
	uint32_t value = 0;

	for (size_t i = 0; i < 4 && from + i < length; i++)
		value |= (uint32_t)bytes[from + i] << (8 * i);
	return value;
}

static void absorb(struct state *state, const uint8_t *bytes, size_t length)
{
	state->a += word(bytes, length, 0);
	state->b += word(bytes, length, 4);
	state->c += word(bytes, length, 8);
}

static void hash(struct state *state, const uint8_t *bytes, size_t length)
{
	if (length == 0)
		return;
	for (; length > 12; length -= 12, bytes += 12) {
		absorb(state, bytes, 12);
		mix(state);
	}
	absorb(state, bytes, length);
	GM_LOOKUP3_FINAL(state->a, state->b, state->c);
}

static struct state begin(size_t length, uint32_t seed)
{
	uint32_t start = UINT32_C(0xdeadbeef) + (uint32_t)length + seed;
	struct state state = { start, start, start };

	return state;
}

uint32_t gm_lookup3(const uint8_t *bytes, size_t length, uint32_t seed)
{
	struct state state = begin(length, seed);

	hash(&state, bytes, length);
	return state.c;
}

void gm_lookup3_pair(const uint8_t *bytes, size_t length, uint32_t *first, uint32_t *second)
{
	struct state state = begin(length, *first);

	state.c += *second;
	hash(&state, bytes, length);
	*first = state.c;
	*second = state.b;
}

uint32_t gm_lookup3_words(const uint32_t *words, size_t count, uint32_t seed)
{
	struct state state = begin(4 * count, seed);

	if (count == 0)
		return state.c;
	for (; count > 3; count -= 3, words += 3) {
		state.a += words[0];
		state.b += words[1];
		state.c += words[2];
		mix(&state);
	}
	state.a += words[0];
	state.b += count > 1 ? words[1] : 0;
	state.c += count > 2 ? words[2] : 0;
	GM_LOOKUP3_FINAL(state.a, state.b, state.c);
	return state.c;
}
