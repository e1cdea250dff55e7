// SPDX-License-Identifier: Apache-2.0
/*
 * The test header with a tag (PROTOCOL.md): a keyed hash in place of magic and run, so that nobody
 * who lacks the trial's key makes a packet that counts. Also 14 bytes, big-endian.
 */
#ifndef GM_TAGGED_H
#define GM_TAGGED_H

#include "bpf/tag.h"
#include "frame/header.h"
#include "talk/fault.h"

/* What a request's key says, 32 hexadecimal digits. -EINVAL with the fault filled. */
int tagged_key(const char *text, struct siphash_key *key, struct fault *fault);

/* As header_write(): returns the sum of the seven 16-bit words. */
static inline uint32_t tagged_write(uint8_t *bytes, const struct header *header,
				    const struct siphash_key *key)
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

/* Reads what is behind the tag, whoever made it. False: the tag is wrong. `run` is 0. */
static inline bool tagged_read(struct header *header, const uint8_t bytes[HEADER_BYTES],
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

#endif
