/* SPDX-License-Identifier: Apache-2.0 */
/* The filters behind one interface, for the command that times them. */
#ifndef GM_COMMAND_FILTER_KINDS_H
#define GM_COMMAND_FILTER_KINDS_H

#include "gm/binary_fuse.h"
#include "gm/blocked_bloom.h"
#include "gm/blocked_counting_bloom.h"
#include "gm/bloom.h"
#include "gm/counting_bloom.h"
#include "gm/cuckoo.h"

union filter {
	struct gm_bloom bloom;
	struct gm_counting_bloom counting;
	struct gm_blocked_bloom blocked;
	struct gm_blocked_counting_bloom blocked_counting;
	struct gm_cuckoo cuckoo;
	struct {
		struct gm_binary_fuse fuse;
		struct gm_binary_fuse_workspace space;
	} fuse;
};

/* Keys of four bytes or of eight, as a filter takes them. */
union keys {
	const void *any;
	const uint32_t *narrow;
	const uint64_t *wide;
};

struct filter_kind {
	const char *name;
	const char *impls; /* those besides "portable", with spaces around each */
	unsigned key_bytes;
	/* Bytes of n keys' filter, and those that its construction takes. */
	uint64_t (*bytes)(const struct filter_kind *kind, uint32_t n);
	uint64_t (*peak_bytes)(uint32_t n); /* NULL: no more than its bytes */
	/* An enum gm_error. A filter that is built at once from its keys has add alone. */
	int (*init)(const struct filter_kind *kind, union filter *filter, uint32_t n);
	void (*clear)(union filter *filter);
	int (*add)(union filter *filter, union keys keys, uint32_t n);
	void (*find)(const union filter *filter, union keys keys, uint32_t n, uint8_t *answers);
	void (*remove)(union filter *filter, union keys keys, uint32_t n); /* NULL: cannot */
	void (*free)(union filter *filter);
	/* Its array, where the specification fixes every byte of it; otherwise NULL. */
	const uint8_t *(*array)(const union filter *filter);
	uint32_t fixed; /* bits or counters, whatever the number of keys is; or 0 */
	uint32_t a_key; /* bits or counters a key; of cuckoo, 1 for a power of two of buckets */
	uint32_t hashes;
};

/* The kind of this name, or the program ends. */
const struct filter_kind *filter_kind(const char *name);

/* Sets the implementation by name, "auto" for the best; returns the name of what it is. */
const char *filter_impl(struct filter_kind *kind, union filter *filter, const char *name);

#endif
