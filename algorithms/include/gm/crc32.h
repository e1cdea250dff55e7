/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cyclic redundancy checks of 32 bits, reflected: of Ethernet (IEEE 802.3) and Castagnoli's (RFC
 * 3720). By one table, a byte at a time, by eight tables, eight bytes at a time (Kounavis and Berry,
 * "Novel table lookup-based algorithms for high-performance CRC generation", 2008), or by the
 * processor's instruction. All give the same.
 *
 * To go on with a CRC, hand it in: the CRC of nothing is 0.
 */
#ifndef GM_CRC32_H
#define GM_CRC32_H

#include <stddef.h>
#include <stdint.h>

#define GM_CRC32_ETHERNET UINT32_C(0xedb88320)
#define GM_CRC32_CASTAGNOLI UINT32_C(0x82f63b78)

struct gm_crc32 {
	uint32_t tables[8][256]; /* 8 KiB; the first alone serves gm_crc32_bytewise */
};

/* Fills the tables for a polynomial, one of the above. */
void gm_crc32_init(struct gm_crc32 *crc32, uint32_t polynomial);

uint32_t gm_crc32_bytewise(const struct gm_crc32 *crc32, uint32_t crc, const uint8_t *bytes,
			   size_t count);
uint32_t gm_crc32_sliced(const struct gm_crc32 *crc32, uint32_t crc, const uint8_t *bytes,
			 size_t count);

/* Castagnoli's by the instruction of SSE 4.2: x86-64 alone, where the processor has it. */
uint32_t gm_crc32c_sse42(uint32_t crc, const uint8_t *bytes, size_t count);

#endif
