// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The tagged test header (agent/PROTOCOL.md): 112 bits, in which 24 bits of a keyed hash stand for
 * magic and run. Shared by the agent (agent/src/frame/tagged.h), live.bpf.c and sink.bpf.c.
 */
#ifndef GM_TAG_H
#define GM_TAG_H

#include "siphash.h"

#define TAG_BITS 24
#define TAG_FLOW_BITS 17
#define TAG_TIME_BITS 39
#define TAG_BYTES 11 /* behind the tag: what it is the hash of */

/* What is behind the tag, in the order of its bits: 64, then 24. */
struct tag_content {
	__u64 head; /* flow, sequence, the time's first 15 bits */
	__u32 tail; /* the time's last 24 bits */
};

SHARED struct tag_content tag_content(__u32 flow, __u32 sequence, __u64 time_ns)
{
	__u64 time = time_ns & ((1ull << TAG_TIME_BITS) - 1);

	return (struct tag_content){
		.head = (__u64)flow << 47 | (__u64)sequence << 15 | time >> 24,
		.tail = (__u32)time & 0xffffff,
	};
}

SHARED __u32 tag_flow(const struct tag_content *content)
{
	return (__u32)(content->head >> 47);
}

SHARED __u32 tag_sequence(const struct tag_content *content)
{
	return (__u32)(content->head >> 15);
}

/* Modulo 2^TAG_TIME_BITS. */
SHARED __u64 tag_time(const struct tag_content *content)
{
	return (content->head & 0x7fff) << 24 | content->tail;
}

/* The low 24 bits of the hash of the eleven bytes, which are sent big-endian. */
SHARED __u32 tag_of(const struct siphash_key *key, const struct tag_content *content)
{
	__u32 tail = __builtin_bswap32(content->tail << 8);
	__u64 last = (__u64)TAG_BYTES << 56 | tail;

	return (__u32)(siphash_two(key, __builtin_bswap64(content->head), last) &
		       ((1 << TAG_BITS) - 1));
}

#endif
