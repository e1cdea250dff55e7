// SPDX-License-Identifier: Apache-2.0
/* Tagged headers, and the key of a trial as a request has it. */
#include "frame/tagged.h"

#include <errno.h>

#define KEY_BYTES 16

/* The value of a hexadecimal digit; -1: it is none. */
static int digit(char text)
{
	if (text >= '0' && text <= '9')
		return text - '0';
	return text >= 'a' && text <= 'f' ? text - 'a' + 10 : -1;
}

int tagged_key(const char *text, struct siphash_key *key, struct fault *fault)
{
	uint64_t words[2] = { 0 };
	const size_t digits = 2 * (size_t)KEY_BYTES;
	size_t at = 0;

	for (; at < digits && digit(text[at]) >= 0; at++) {
		size_t byte = at / 2;
		uint64_t value = (uint64_t)digit(text[at]) << (at % 2 ? 0 : 4);

		words[byte / 8] |= value << 8 * (byte % 8);
	}
	if (at < digits || text[at])
		return fault_set(fault, -EINVAL, "key", "give 32 digits, 0 to 9 and a to f",
				 "a key has 16 bytes, each of two hexadecimal digits");
	*key = (struct siphash_key){ words[0], words[1] };
	return 0;
}

uint32_t tagged_write(uint8_t *bytes, const struct header *header, const struct siphash_key *key)
{
	struct tag_content content = tag_content(header->flow, header->sequence, header->time_ns);
	uint32_t tag = tag_of(key, &content);
	const uint16_t words[HEADER_BYTES / 2] = {
		(uint16_t)(tag >> 8),
		(uint16_t)((tag & 0xff) << 8 | (uint32_t)(content.head >> 56)),
		(uint16_t)(content.head >> 40),
		(uint16_t)(content.head >> 24),
		(uint16_t)(content.head >> 8),
		(uint16_t)((content.head & 0xff) << 8 | content.tail >> 16),
		(uint16_t)content.tail,
	};
	uint32_t sum = 0;

	for (size_t i = 0; i < HEADER_BYTES / 2; i++) {
		be16_store(bytes + 2 * i, words[i]);
		sum += words[i];
	}
	return sum;
}

bool tagged_read(struct header *header, const uint8_t bytes[HEADER_BYTES],
		 const struct siphash_key *key)
{
	const struct tag_content content = {
		.head = (uint64_t)be32_load(bytes + 3) << 32 | be32_load(bytes + 7),
		.tail = (uint32_t)bytes[11] << 16 | be16_load(bytes + 12),
	};
	uint32_t tag = (uint32_t)be16_load(bytes) << 8 | bytes[2];

	*header = (struct header){
		.flow = tag_flow(&content),
		.sequence = tag_sequence(&content),
		.time_ns = tag_time(&content),
	};
	return tag == tag_of(key, &content);
}
