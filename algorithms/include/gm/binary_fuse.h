/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A binary fuse filter of 8 bits: a set that does not change, at 9 bits a key for many keys. It
 * never denies a member, and takes one of 256 others for a member.
 *
 * A key has three slots in three neighbouring segments; the exclusive or of their bytes is the
 * key's tag. To build it, a key that has a slot for itself is set aside, again and again, until
 * none is left; then the slots are filled in the opposite order. No floating point is used.
 *
 * Source: T. M. Graf, D. Lemire, "Binary fuse filters: fast and smaller than xor filters" (2022).
 */
#ifndef GM_BINARY_FUSE_H
#define GM_BINARY_FUSE_H

#include "gm/impl.h"

#include <stddef.h>
#include <stdint.h>

struct gm_binary_fuse {
	uint8_t *tags;
	uint64_t seed;
	uint32_t slots; /* bytes of tags */
	uint32_t segment; /* slots of a segment, a power of two */
	uint32_t span; /* slots in which a key's first slot can be */
	uint32_t tries; /* how many seeds the construction took */
	enum gm_impl impl; /* of gm_binary_fuse_find_many */
};

/*
 * The filter of `count` keys, which may repeat. Takes 26 bytes a key while it builds.
 * Returns GM_OK, GM_NO_MEMORY, GM_BAD_ARGUMENT (more than 2^31 keys, 2^27
 * where an address has 32 bits), or GM_NOT_BUILT after a
 * hundred seeds, which chance alone does not bring about.
 */
int gm_binary_fuse_build(struct gm_binary_fuse *fuse, const uint64_t *keys, uint32_t count);

/* Memory that one construction leaves to the next; { NULL, 0 } at first. */
struct gm_binary_fuse_workspace {
	void *memory;
	size_t bytes;
};

/*
 * The same in memory that stays for the next filter: new memory costs a tenth to a third of the
 * construction, because the kernel has to hand out every page of it.
 */
int gm_binary_fuse_build_in(struct gm_binary_fuse *fuse, const uint64_t *keys, uint32_t count,
			    struct gm_binary_fuse_workspace *space);

void gm_binary_fuse_workspace_free(struct gm_binary_fuse_workspace *space);

void gm_binary_fuse_free(struct gm_binary_fuse *fuse);

/* 1 for a member, and for one of 256 others; 0 for all others. */
int gm_binary_fuse_find(const struct gm_binary_fuse *fuse, uint64_t key);

/* The same for `count` keys, in order; each answer is a byte of `answers`. */
void gm_binary_fuse_find_many(const struct gm_binary_fuse *fuse, const uint64_t *keys, size_t count,
			      uint8_t *answers);

/* The bytes that a filter of `count` keys has, and those that its construction takes. */
uint64_t gm_binary_fuse_bytes(uint32_t count);
uint64_t gm_binary_fuse_peak_bytes(uint32_t count);

#endif
