/* SPDX-License-Identifier: Apache-2.0 */
#include "command/filter_kinds.h"

#include "gm/error.h"
#include "program/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t power_of_two(uint64_t least)
{
	uint64_t power = 8;

	while (power < least)
		power *= 2;
	if (power > UINT32_MAX)
		fail(2, "n is too large for this structure");
	return (uint32_t)power;
}

/* Bits or counters of a plain filter. */
static uint32_t places(const struct filter_kind *kind, uint32_t n)
{
	return kind->fixed ? kind->fixed : power_of_two((uint64_t)n * kind->a_key);
}

static uint64_t bloom_bytes(const struct filter_kind *kind, uint32_t n)
{
	return places(kind, n) / 8;
}

static int bloom_init(const struct filter_kind *kind, union filter *filter, uint32_t n)
{
	return gm_bloom_init(&filter->bloom, places(kind, n), kind->hashes);
}

static void bloom_clear(union filter *filter)
{
	gm_bloom_clear(&filter->bloom);
}

static int bloom_add(union filter *filter, union keys keys, uint32_t n)
{
	gm_bloom_add_many(&filter->bloom, keys.narrow, n);
	return GM_OK;
}

static void bloom_find(const union filter *filter, union keys keys, uint32_t n, uint8_t *answers)
{
	gm_bloom_find_many(&filter->bloom, keys.narrow, n, answers);
}

static int bloom_add_2h(union filter *filter, union keys keys, uint32_t n)
{
	gm_bloom_add_many_2h(&filter->bloom, keys.narrow, n);
	return GM_OK;
}

static void bloom_find_2h(const union filter *filter, union keys keys, uint32_t n, uint8_t *answers)
{
	gm_bloom_find_many_2h(&filter->bloom, keys.narrow, n, answers);
}

static void bloom_free(union filter *filter)
{
	gm_bloom_free(&filter->bloom);
}

static const uint8_t *bloom_array(const union filter *filter)
{
	return filter->bloom.bits;
}

/* The four bytes of a number, the lowest first. */
static void bytes_of(uint32_t key, uint8_t bytes[4])
{
	for (int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(key >> (8 * i));
}

static int bloom_add_bytes(union filter *filter, union keys keys, uint32_t n)
{
	uint8_t bytes[4];

	for (uint32_t i = 0; i < n; i++) {
		bytes_of(keys.narrow[i], bytes);
		gm_bloom_add(&filter->bloom, bytes, sizeof(bytes));
	}
	return GM_OK;
}

static void bloom_find_bytes(const union filter *filter, union keys keys, uint32_t n,
			     uint8_t *answers)
{
	uint8_t bytes[4];

	for (uint32_t i = 0; i < n; i++) {
		bytes_of(keys.narrow[i], bytes);
		answers[i] = (uint8_t)gm_bloom_find(&filter->bloom, bytes, sizeof(bytes));
	}
}

static uint64_t counting_bytes(const struct filter_kind *kind, uint32_t n)
{
	return places(kind, n) / 2;
}

static int counting_init(const struct filter_kind *kind, union filter *filter, uint32_t n)
{
	return gm_counting_bloom_init(&filter->counting, places(kind, n), kind->hashes);
}

static void counting_clear(union filter *filter)
{
	gm_counting_bloom_clear(&filter->counting);
}

static int counting_add(union filter *filter, union keys keys, uint32_t n)
{
	gm_counting_bloom_add_many(&filter->counting, keys.narrow, n);
	return GM_OK;
}

static void counting_find(const union filter *filter, union keys keys, uint32_t n, uint8_t *answers)
{
	gm_counting_bloom_find_many(&filter->counting, keys.narrow, n, answers);
}

static void counting_remove(union filter *filter, union keys keys, uint32_t n)
{
	gm_counting_bloom_remove_many(&filter->counting, keys.narrow, n);
}

static void counting_free(union filter *filter)
{
	gm_counting_bloom_free(&filter->counting);
}

static const uint8_t *counting_array(const union filter *filter)
{
	return filter->counting.counters;
}

static uint64_t blocked_bytes(const struct filter_kind *kind, uint32_t n)
{
	(void)kind;
	return (uint64_t)gm_blocked_bloom_blocks(n) * GM_BLOCKED_BLOOM_WORDS * sizeof(uint32_t);
}

static int blocked_init(const struct filter_kind *kind, union filter *filter, uint32_t n)
{
	(void)kind;
	return gm_blocked_bloom_init(&filter->blocked, gm_blocked_bloom_blocks(n));
}

static void blocked_clear(union filter *filter)
{
	gm_blocked_bloom_clear(&filter->blocked);
}

static int blocked_add(union filter *filter, union keys keys, uint32_t n)
{
	gm_blocked_bloom_add_many(&filter->blocked, keys.wide, n);
	return GM_OK;
}

static void blocked_find(const union filter *filter, union keys keys, uint32_t n, uint8_t *answers)
{
	gm_blocked_bloom_find_many(&filter->blocked, keys.wide, n, answers);
}

static void blocked_free(union filter *filter)
{
	gm_blocked_bloom_free(&filter->blocked);
}

static uint64_t blocked_counting_bytes(const struct filter_kind *kind, uint32_t n)
{
	(void)kind;
	return (uint64_t)gm_blocked_counting_bloom_blocks(n) * GM_BLOCKED_COUNTING_BLOOM_WORDS *
	       sizeof(uint32_t);
}

static int blocked_counting_init(const struct filter_kind *kind, union filter *filter, uint32_t n)
{
	(void)kind;
	return gm_blocked_counting_bloom_init(&filter->blocked_counting,
					      gm_blocked_counting_bloom_blocks(n));
}

static void blocked_counting_clear(union filter *filter)
{
	gm_blocked_counting_bloom_clear(&filter->blocked_counting);
}

static int blocked_counting_add(union filter *filter, union keys keys, uint32_t n)
{
	gm_blocked_counting_bloom_add_many(&filter->blocked_counting, keys.wide, n);
	return GM_OK;
}

static void blocked_counting_find(const union filter *filter, union keys keys, uint32_t n,
				  uint8_t *answers)
{
	gm_blocked_counting_bloom_find_many(&filter->blocked_counting, keys.wide, n, answers);
}

static void blocked_counting_remove(union filter *filter, union keys keys, uint32_t n)
{
	gm_blocked_counting_bloom_remove_many(&filter->blocked_counting, keys.wide, n);
}

static void blocked_counting_free(union filter *filter)
{
	gm_blocked_counting_bloom_free(&filter->blocked_counting);
}

static uint32_t cuckoo_buckets(const struct filter_kind *kind, uint32_t n)
{
	uint32_t buckets = gm_cuckoo_buckets(n);

	return kind->a_key ? power_of_two(buckets) : buckets;
}

static uint64_t cuckoo_bytes(const struct filter_kind *kind, uint32_t n)
{
	return (uint64_t)cuckoo_buckets(kind, n) * sizeof(struct gm_cuckoo_bucket);
}

static int cuckoo_init(const struct filter_kind *kind, union filter *filter, uint32_t n)
{
	return gm_cuckoo_init(&filter->cuckoo, cuckoo_buckets(kind, n));
}

static void cuckoo_clear(union filter *filter)
{
	gm_cuckoo_clear(&filter->cuckoo);
}

static int cuckoo_add(union filter *filter, union keys keys, uint32_t n)
{
	return gm_cuckoo_add_many(&filter->cuckoo, keys.wide, n) == n ? GM_OK : GM_FULL;
}

static void cuckoo_find(const union filter *filter, union keys keys, uint32_t n, uint8_t *answers)
{
	gm_cuckoo_find_many(&filter->cuckoo, keys.wide, n, answers);
}

static void cuckoo_remove(union filter *filter, union keys keys, uint32_t n)
{
	gm_cuckoo_remove_many(&filter->cuckoo, keys.wide, n);
}

static void cuckoo_free(union filter *filter)
{
	gm_cuckoo_free(&filter->cuckoo);
}

static uint64_t fuse_bytes(const struct filter_kind *kind, uint32_t n)
{
	(void)kind;
	return gm_binary_fuse_bytes(n);
}

static int fuse_init(const struct filter_kind *kind, union filter *filter, uint32_t n)
{
	(void)kind;
	(void)n;
	return gm_binary_fuse_build(&filter->fuse.fuse, NULL, 0);
}

static void fuse_clear(union filter *filter)
{
	gm_binary_fuse_free(&filter->fuse.fuse);
}

static void fuse_free(union filter *filter)
{
	gm_binary_fuse_free(&filter->fuse.fuse);
	gm_binary_fuse_workspace_free(&filter->fuse.space);
}

static int fuse_add(union filter *filter, union keys keys, uint32_t n)
{
	enum gm_impl impl = filter->fuse.fuse.impl;
	int error;

	gm_binary_fuse_free(&filter->fuse.fuse);
	error = gm_binary_fuse_build_in(&filter->fuse.fuse, keys.wide, n, &filter->fuse.space);
	filter->fuse.fuse.impl = impl;
	return error;
}

static void fuse_find(const union filter *filter, union keys keys, uint32_t n, uint8_t *answers)
{
	gm_binary_fuse_find_many(&filter->fuse.fuse, keys.wide, n, answers);
}

#define BLOOM(called, fixed_bits, bits_a_key, k)                                                   \
	{ .name = (called),                                                                        \
	  .impls = " bytes ",                                                                      \
	  .key_bytes = 4,                                                                          \
	  .bytes = bloom_bytes,                                                                    \
	  .init = bloom_init,                                                                      \
	  .clear = bloom_clear,                                                                    \
	  .add = bloom_add,                                                                        \
	  .find = bloom_find,                                                                      \
	  .free = bloom_free,                                                                      \
	  .array = bloom_array,                                                                    \
	  .fixed = (fixed_bits),                                                                   \
	  .a_key = (bits_a_key),                                                                   \
	  .hashes = (k) }
#define BLOOM_2H(called, fixed_bits, bits_a_key, k)                                                \
	{ .name = (called),                                                                        \
	  .impls = "",                                                                             \
	  .key_bytes = 4,                                                                          \
	  .bytes = bloom_bytes,                                                                    \
	  .init = bloom_init,                                                                      \
	  .clear = bloom_clear,                                                                    \
	  .add = bloom_add_2h,                                                                     \
	  .find = bloom_find_2h,                                                                   \
	  .free = bloom_free,                                                                      \
	  .array = bloom_array,                                                                    \
	  .fixed = (fixed_bits),                                                                   \
	  .a_key = (bits_a_key),                                                                   \
	  .hashes = (k) }
#define COUNTING(called, fixed_counters, counters_a_key, k)                                        \
	{ .name = (called),                                                                        \
	  .impls = "",                                                                             \
	  .key_bytes = 4,                                                                          \
	  .bytes = counting_bytes,                                                                 \
	  .init = counting_init,                                                                   \
	  .clear = counting_clear,                                                                 \
	  .add = counting_add,                                                                     \
	  .find = counting_find,                                                                   \
	  .remove = counting_remove,                                                               \
	  .free = counting_free,                                                                   \
	  .array = counting_array,                                                                 \
	  .fixed = (fixed_counters),                                                               \
	  .a_key = (counters_a_key),                                                               \
	  .hashes = (k) }
#define CUCKOO(called, power)                                                                      \
	{ .name = (called),                                                                        \
	  .impls = "",                                                                             \
	  .key_bytes = 8,                                                                          \
	  .bytes = cuckoo_bytes,                                                                   \
	  .init = cuckoo_init,                                                                     \
	  .clear = cuckoo_clear,                                                                   \
	  .add = cuckoo_add,                                                                       \
	  .find = cuckoo_find,                                                                     \
	  .remove = cuckoo_remove,                                                                 \
	  .free = cuckoo_free,                                                                     \
	  .a_key = (power) }

static const struct filter_kind kinds[] = {
	BLOOM("bf", 65536, 0, 8),
	BLOOM("bf8", 0, 8, 6),
	BLOOM("bf16", 0, 16, 11),
	BLOOM_2H("bf-2h", 65536, 0, 8),
	BLOOM_2H("bf8-2h", 0, 8, 6),
	COUNTING("cbf", 65536, 0, 8),
	COUNTING("cbf16", 0, 16, 8),
	{ .name = "bbf",
	  .impls = " avx2 ",
	  .key_bytes = 8,
	  .bytes = blocked_bytes,
	  .init = blocked_init,
	  .clear = blocked_clear,
	  .add = blocked_add,
	  .find = blocked_find,
	  .free = blocked_free },
	{ .name = "bcbf",
	  .impls = "",
	  .key_bytes = 8,
	  .bytes = blocked_counting_bytes,
	  .init = blocked_counting_init,
	  .clear = blocked_counting_clear,
	  .add = blocked_counting_add,
	  .find = blocked_counting_find,
	  .remove = blocked_counting_remove,
	  .free = blocked_counting_free },
	CUCKOO("cuckoo12", 0),
	CUCKOO("cuckoo12-2", 1),
	{ .name = "fuse8",
	  .impls = " avx512 ",
	  .key_bytes = 8,
	  .bytes = fuse_bytes,
	  .peak_bytes = gm_binary_fuse_peak_bytes,
	  .init = fuse_init,
	  .clear = fuse_clear,
	  .add = fuse_add,
	  .find = fuse_find,
	  .free = fuse_free },
	{ .name = NULL },
};

const struct filter_kind *filter_kind(const char *name)
{
	for (const struct filter_kind *kind = kinds; kind->name; kind++) {
		if (strcmp(kind->name, name) == 0)
			return kind;
	}
	fputs("gm-algorithms: structure= is not among:", stderr);
	for (const struct filter_kind *kind = kinds; kind->name; kind++)
		fprintf(stderr, " %s", kind->name);
	fputc('\n', stderr);
	exit(2);
}

static enum gm_impl impl_of(const struct filter_kind *kind, const char *name)
{
	char word[16];

	for (enum gm_impl impl = GM_PORTABLE; impl < GM_IMPLS; impl++) {
		if (strcmp(gm_impl_name(impl), name) != 0)
			continue;
		snprintf(word, sizeof(word), " %s ", name);
		if (impl != GM_PORTABLE && !strstr(kind->impls, word))
			break;
		if (!gm_impl_runs(impl))
			fail(2, "this processor cannot run impl=%s; impl=auto takes the best",
			     name);
		return impl;
	}
	fail(2, "%s has no impl=%s; it has: auto portable%s", kind->name, name, kind->impls);
}

/* The implementation of a filter that has more than one; NULL for the others. */
static enum gm_impl *impl_field(const struct filter_kind *kind, union filter *filter)
{
	if (kind->init == blocked_init)
		return &filter->blocked.impl;
	return kind->init == fuse_init ? &filter->fuse.fuse.impl : NULL;
}

const char *filter_impl(struct filter_kind *kind, union filter *filter, const char *name)
{
	enum gm_impl *field = impl_field(kind, filter);
	enum gm_impl impl;

	if (strcmp(name, "bytes") == 0 && strcmp(kind->impls, " bytes ") == 0) {
		kind->add = bloom_add_bytes;
		kind->find = bloom_find_bytes;
		return name;
	}
	if (strcmp(name, "auto") == 0)
		return gm_impl_name(field ? *field : GM_PORTABLE);
	impl = impl_of(kind, name);
	if (field)
		*field = impl;
	return gm_impl_name(impl);
}
