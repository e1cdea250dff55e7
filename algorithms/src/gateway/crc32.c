/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/crc32.h"

void gm_crc32_init(struct gm_crc32 *crc32, uint32_t polynomial)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = (crc >> 1) ^ (crc & 1 ? polynomial : 0);
		crc32->tables[0][byte] = crc;
	}
	/* Table k is of a byte that k zero bytes follow. */
	for (int k = 1; k < 8; k++) {
		for (uint32_t byte = 0; byte < 256; byte++) {
			uint32_t crc = crc32->tables[k - 1][byte];

			crc32->tables[k][byte] = (crc >> 8) ^ crc32->tables[0][crc & 0xff];
		}
	}
}

static inline uint32_t step(const struct gm_crc32 *crc32, uint32_t state, uint8_t byte)
{
	return (state >> 8) ^ crc32->tables[0][(state ^ byte) & 0xff];
}

uint32_t gm_crc32_bytewise(const struct gm_crc32 *crc32, uint32_t crc, const uint8_t *bytes,
			   size_t count)
{
	uint32_t state = ~crc;

	for (size_t i = 0; i < count; i++)
		state = step(crc32, state, bytes[i]);
	return ~state;
}

static inline uint32_t word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

uint32_t gm_crc32_sliced(const struct gm_crc32 *crc32, uint32_t crc, const uint8_t *bytes,
			 size_t count)
{
	const uint32_t (*tables)[256] = crc32->tables;
	uint32_t state = ~crc;

	for (; count >= 8; bytes += 8, count -= 8) {
		uint32_t low = state ^ word(bytes);
		uint32_t high = word(bytes + 4);

		state = tables[7][low & 0xff] ^ tables[6][low >> 8 & 0xff] ^
			tables[5][low >> 16 & 0xff] ^ tables[4][low >> 24] ^
			tables[3][high & 0xff] ^ tables[2][high >> 8 & 0xff] ^
			tables[1][high >> 16 & 0xff] ^ tables[0][high >> 24];
	}
	for (size_t i = 0; i < count; i++)
		state = step(crc32, state, bytes[i]);
	return ~state;
}
