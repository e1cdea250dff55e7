// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a received frame. The first byte decides whether the kernel has checked the checksum
 * and whether the rest is to be made a test packet first, so that the depth is reached.
 */
#include "count/account.h"
#include "frame/frame.h"
#include "frame/parse.h"

#include <stdlib.h>
#include <string.h>

/* Called by libFuzzer. */
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A sound frame with the data XORed over it. */
static size_t disturb(uint8_t *frame, const uint8_t *data, size_t size, int family)
{
	const struct packet packet = { .frame_bytes = 120, .header = { .flow = 1 } };
	const struct route route = { .family = family };
	struct frame template;

	memset(frame, 0, FRAME_MAX);
	frame_build(&template, &route, frame);
	frame_fill(&template, &packet, frame);
	for (size_t i = 0; i < size && i < 116; i++)
		frame[i] ^= data[i];
	return 116;
}

static void account_for(const struct arrival *arrival)
{
	static struct account account;
	const struct tally_options options = { .flows = 4, .bin_ns = 1000, .bins = 10 };
	struct fault fault;

	if (!account.window) {
		if (account_open(&account, &options, &fault))
			abort();
		account_start(&account, 0);
	}
	account_add(&account, arrival);
	if (account.tally.received !=
	    account.tally.unique + account.tally.duplicated + account.tally.stale)
		abort();
}

/* In a copy of exactly its length, so that the sanitizer sees a step beyond. */
static void parse_copy(const uint8_t *frame, size_t length, bool checked,
		       const struct siphash_key *key)
{
	struct arrival arrival = { 0 };
	uint8_t *copy = malloc(length ? length : 1);

	if (!copy)
		return;
	memcpy(copy, frame, length);
	parse_frame(&arrival, copy, length, length, checked, key);
	account_for(&arrival);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct siphash_key key = { 1, 2 };
	static uint8_t frame[FRAME_MAX];
	size_t length;

	if (!size)
		return 0;
	if (data[0] & 2) {
		length = disturb(frame, data + 1, size - 1, data[0] & 4 ? 6 : 4);
	} else {
		length = size - 1 < FRAME_MAX ? size - 1 : FRAME_MAX;
		memcpy(frame, data + 1, length);
	}
	parse_copy(frame, length, data[0] & 1, data[0] & 8 ? &key : NULL);
	return 0;
}
