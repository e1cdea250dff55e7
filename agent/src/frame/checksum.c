// SPDX-License-Identifier: Apache-2.0
/* Summing over memory, a machine word at a time. */
#include "frame/checksum.h"
#include "frame/bytes.h"

#include <string.h>

/*
 * The sum does not depend on the byte order in which words are added, only the bytes of its result
 * do (RFC 1071 section 2 (B)): so add native words, and read the folded result as it lies in
 * memory.
 */
static uint64_t sum_words(const uint8_t *bytes, size_t words)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < words; i++) {
		uint32_t word;

		memcpy(&word, bytes + 4 * i, sizeof(word));
		sum += word;
	}
	return sum;
}

uint64_t checksum_sum(const uint8_t *bytes, size_t length)
{
	uint16_t folded = checksum_fold(sum_words(bytes, length / 4));
	uint8_t native[2];
	uint64_t sum;

	memcpy(native, &folded, sizeof(native));
	sum = be16_load(native);
	bytes += length & ~(size_t)3;
	if (length & 2) {
		sum += be16_load(bytes);
		bytes += 2;
	}
	if (length & 1)
		sum += (uint64_t)*bytes << 8;
	return checksum_fold(sum);
}
