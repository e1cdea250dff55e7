/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/crc32.h"

#include <nmmintrin.h>
#include <string.h>

uint32_t gm_crc32c_sse42(uint32_t crc, const uint8_t *bytes, size_t count)
{
	uint64_t state = ~crc;

	for (; count >= 8; bytes += 8, count -= 8) {
		uint64_t word;

		memcpy(&word, bytes, sizeof(word));
		state = _mm_crc32_u64(state, word);
	}
	for (size_t i = 0; i < count; i++)
		state = _mm_crc32_u8((uint32_t)state, bytes[i]);
	return (uint32_t)~state;
}
