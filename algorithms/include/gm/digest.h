/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FNV-1a of 64 bits over results in a fixed byte order: equal results have equal digests, on
 * every processor and by every implementation.
 */
#ifndef GM_DIGEST_H
#define GM_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define GM_DIGEST_EMPTY UINT64_C(0xcbf29ce484222325)

/* `digest` continued by one byte. */
static inline uint64_t gm_digest_u8(uint64_t digest, uint8_t byte)
{
	return (digest ^ byte) * UINT64_C(0x100000001b3);
}

/* `digest` continued by four bytes, the lowest first. */
static inline uint64_t gm_digest_u32(uint64_t digest, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		digest = gm_digest_u8(digest, (uint8_t)(value >> (8 * i)));
	return digest;
}

/* `digest` continued by `count` bytes. */
static inline uint64_t gm_digest_bytes(uint64_t digest, const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		digest = gm_digest_u8(digest, bytes[i]);
	return digest;
}

/* `digest` continued by `count` values of four bytes. */
static inline uint64_t gm_digest_u32s(uint64_t digest, const uint32_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		digest = gm_digest_u32(digest, values[i]);
	return digest;
}

#endif
