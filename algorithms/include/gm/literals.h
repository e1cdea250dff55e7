/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Literals, and the pairs that come of a scan: which literal is anywhere in which record.
 *
 * gm_literals_* finds all literals of a set at once. Many literals, and those below four bytes, go
 * through Aho-Corasick: so much of a text passes any filter then that the automaton is faster. Few
 * go through two steps: a filter passes the few places
 * where a literal can be, and a hash of four bytes confirms them. The filter is shift-or over
 * hashed 3-grams, each with a byte of 8 buckets (L. Salmela, J. Tarhio, J. Kytojoki,
 * "Multi-pattern string matching with q-grams", 2006; buckets as in X. Wang et al., "Hyperscan",
 * NSDI 2019). It looks at every second place, because a literal of four bytes has a 3-gram at an
 * even place, wherever it begins. Of literals of six and more bytes two 3-grams are tested. The paths
 * for AVX2 and AVX-512 test eight and sixteen places at once.
 */
#ifndef GM_LITERALS_H
#define GM_LITERALS_H

#include "gm/records.h"

#include <stddef.h>
#include <stdint.h>

/* A string to look for. Literals may share an id. */
struct gm_literal {
	const uint8_t *bytes;
	uint32_t length; /* at least 1 */
	uint32_t id; /* small: memory is taken for each number up to the largest */
	uint8_t nocase; /* ASCII letters match in either case */
};

struct gm_pair {
	uint32_t record;
	uint32_t id;
};

/* Pairs, each once, in no order. `count` goes on beyond `room`, and pairs beyond it are lost. */
struct gm_pairs {
	struct gm_pair *pairs;
	uint32_t room;
	uint32_t count;
};

/* Adds a pair. */
static inline void gm_pairs_add(struct gm_pairs *pairs, uint32_t record, uint32_t id)
{
	if (pairs->count < pairs->room) {
		pairs->pairs[pairs->count].record = record;
		pairs->pairs[pairs->count].id = id;
	}
	pairs->count++;
}

/* Orders pairs by record, then by id. */
void gm_pairs_sort(struct gm_pairs *pairs);

struct gm_result;

/* Gives each record its ids; pairs in any order. GM_MATCH_OK or GM_MATCH_MEMORY. */
int gm_pairs_result(const struct gm_pairs *pairs, struct gm_result *result);

/* FNV-1a over ordered pairs: of each record the count of its ids, then the ids. */
uint64_t gm_pairs_digest(const struct gm_pairs *pairs, uint32_t records);

enum gm_literals_impl {
	GM_LITERALS_AUTO, /* the fastest that the processor has */
	GM_LITERALS_PORTABLE, /* the fastest in portable C */
	GM_LITERALS_AVX2, /* the fastest with these instructions */
	GM_LITERALS_AVX512,
	GM_LITERALS_FILTER, /* as AUTO, but the filter for many too: pairs come record by record */
	GM_LITERALS_FILTER_PORTABLE,
};

struct gm_literals;

/* Keeps copies of the literals. NULL without memory, for an empty literal, or an absent impl. */
struct gm_literals *gm_literals_new(const struct gm_literal *literals, uint32_t count,
				    enum gm_literals_impl impl);
void gm_literals_free(struct gm_literals *literals);

/* Adds the pairs of all records. It uses the structure's own marks: one scan at a time. */
void gm_literals_scan(struct gm_literals *literals, const struct gm_records *records,
		      struct gm_pairs *pairs);

/* What is used: the filter as "portable", "avx2" or "avx512", or "aho-corasick". */
const char *gm_literals_impl(const struct gm_literals *literals);

/* The same of a filter, before there is one: what `impl` is on this processor. */
const char *gm_literals_filter_impl(enum gm_literals_impl impl);

/* Bytes of all tables. */
size_t gm_literals_bytes(const struct gm_literals *literals);

#endif
