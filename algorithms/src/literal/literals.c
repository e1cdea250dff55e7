/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of gm_literals: which window stands for a literal, the filter, the hash of windows. */
#include "literal/literals.h"

#include "gm/impl.h"

#include <stdlib.h>

enum {
	FILTER_BITS_LEAST = 13,
	FILTER_BITS_MOST = 17,
	HEAD_BITS_MOST = 20,
	LIKELY_BITS_LEAST = 15,
	LIKELY_BITS_MOST = 18,
};

/* How often a byte is in texts of protocols, in parts of a thousand: a rough guess is enough. */
static uint32_t frequency(uint8_t byte)
{
	static const uint8_t letters[26] = { 50, 12, 30, 30, 70, 12, 15, 20, 50, 3,  6, 30, 22,
					     45, 48, 22, 2,  45, 45, 60, 20, 8,	 15, 5, 8,  2 };

	byte |= byte >= 'A' && byte <= 'Z' ? 0x20 : 0;
	if (byte >= 'a' && byte <= 'z')
		return letters[byte - 'a'];
	if (byte >= '0' && byte <= '9')
		return 12;
	if (byte > ' ' && byte < 0x7f)
		return 10;
	return byte == ' ' || byte == 0 ? 30 : 4;
}

/* How often the filter passes a window at this offset, by the frequencies of its bytes. */
static double window_cost(const struct gm_literal *literal, uint32_t offset)
{
	double even = 1;
	double odd = 1;

	for (uint32_t i = 0; i < 6 && offset + i < literal->length; i++) {
		double share = frequency(literal->bytes[offset + i]) / 1000.0;

		/* Even: bytes 0-4 of the window and what follows; odd: bytes 1-5. */
		even *= i < 5 ? share : 1;
		odd *= i > 0 ? share : 1;
	}
	return even + odd;
}

/* The bytes at an offset of a literal; 0 beyond its end. */
static uint32_t literal_bytes(const struct gm_literals *literals, const struct gm_literal *literal,
			      uint32_t offset)
{
	uint8_t bytes[4] = { 0 };

	for (uint32_t i = 0; i < 4 && offset + i < literal->length; i++)
		bytes[i] = literal->bytes[offset + i];
	return gm_read32(bytes) | literals->fold;
}

/* How many literals have each window: one that many share has many to confirm. */
static void shared_count(const struct gm_literals *literals, uint32_t *shared)
{
	for (uint32_t i = 0; i < literals->set.count; i++) {
		const struct gm_literal *literal = &literals->set.literals[i];

		for (uint32_t at = 0; at + GM_WINDOW <= literal->length; at++)
			shared[gm_window_hash(literal_bytes(literals, literal, at),
					      literals->head_shift)]++;
	}
}

static uint32_t window_best(const struct gm_literals *literals, const struct gm_literal *literal,
			    const uint32_t *shared)
{
	uint32_t span = literal->length < 6 ? literal->length : 6;
	uint32_t best = 0;
	double least = 0;

	for (uint32_t offset = 0; offset + span <= literal->length; offset++) {
		uint32_t key = literal_bytes(literals, literal, offset);
		double cost = window_cost(literal, offset) *
			      shared[gm_window_hash(key, literals->head_shift)];

		if (offset == 0 || cost < least) {
			best = offset;
			least = cost;
		}
	}
	return best;
}

static uint32_t bits_for(uint32_t number, uint32_t least, uint32_t most)
{
	uint32_t bits = least;

	while (bits < most && UINT32_C(1) << bits < number)
		bits++;
	return bits;
}

/* The next gram, of which the literal has two bytes or three. */
static void next_enter(struct gm_literals *literals, const struct gm_literal *literal,
		       uint32_t offset, uint32_t bucket)
{
	uint32_t bytes = literal_bytes(literals, literal, offset);
	uint32_t thirds = offset + 3 <= literal->length ? 1 : GM_GRAM_THIRDS;

	for (uint32_t third = 0; third < thirds; third++)
		literals->filter[gm_gram_hash(bytes ^ third << 16, literals->filter_shift)] |=
			(uint16_t)(UINT32_C(0x100) << bucket);
}

/* Enters both alignments of a literal: its grams at the places that the filter tests. */
static void filter_enter(struct gm_literals *literals, const struct gm_literal *literal,
			 uint32_t offset, uint32_t number)
{
	for (uint32_t odd = 0; odd < 2; odd++) {
		uint32_t first = offset + odd;
		uint32_t known = literal->length - first;
		uint32_t bucket = 4 * odd + (known < 4 ? 0 : known < 5 ? 1 : 2 + number % 2);

		literals->filter[gm_gram_hash(literal_bytes(literals, literal, first),
					      literals->filter_shift)] |=
			(uint16_t)(UINT32_C(1) << bucket);
		if (known >= 4)
			next_enter(literals, literal, first + 2, bucket);
	}
}

static void likely_enter(struct gm_literals *literals, uint32_t key)
{
	uint32_t hash = gm_window_hash(key, literals->likely_shift);

	literals->likely[hash / 8] |= (uint8_t)(1U << hash % 8);
}

static void heads_fill(struct gm_literals *literals, uint32_t heads)
{
	for (uint32_t i = 0; i < literals->set.count; i++)
		literals->heads[gm_window_hash(literals->windows[i].key, literals->head_shift) +
				1]++;
	for (uint32_t i = 0; i < heads; i++)
		literals->heads[i + 1] += literals->heads[i];
}

/* Puts each window to its hash; heads[h] is moved while they are placed, and moved back. */
static int windows_order(struct gm_literals *literals, uint32_t heads)
{
	size_t count = literals->set.count;
	struct gm_window *ordered = malloc((count + 1) * sizeof(*ordered));

	if (!ordered)
		return -1;
	for (size_t i = 0; i < count; i++) {
		uint32_t hash = gm_window_hash(literals->windows[i].key, literals->head_shift);

		ordered[literals->heads[hash]++] = literals->windows[i];
	}
	memmove(literals->heads + 1, literals->heads, heads * sizeof(uint32_t));
	literals->heads[0] = 0;
	free(literals->windows);
	literals->windows = ordered;
	return 0;
}

static int tables_fill(struct gm_literals *literals)
{
	uint32_t count = literals->set.count;
	uint32_t filter_bits = bits_for(16 * count, FILTER_BITS_LEAST, FILTER_BITS_MOST);
	uint32_t head_bits = bits_for(4 * count, 8, HEAD_BITS_MOST);
	size_t entries = (size_t)1 << filter_bits;
	size_t heads = (size_t)1 << head_bits;
	uint32_t likely_bits = bits_for(64 * count, LIKELY_BITS_LEAST, LIKELY_BITS_MOST);

	literals->filter_shift = 32 - filter_bits;
	literals->head_shift = 32 - head_bits;
	/* A vector reads four bytes at an entry of two. */
	literals->filter = calloc(entries + 2, sizeof(uint16_t));
	literals->heads = calloc(heads + 1, sizeof(uint32_t));
	literals->windows = malloc(((size_t)count + 1) * sizeof(*literals->windows));
	literals->likely_shift = 32 - likely_bits;
	literals->likely = calloc(((size_t)1 << likely_bits) / 8, 1);
	if (!literals->filter || !literals->heads || !literals->windows || !literals->likely)
		return -1;
	literals->bytes += ((size_t)1 << likely_bits) / 8 + (entries + 2) * sizeof(uint16_t) +
			   (heads + 1) * sizeof(uint32_t) + count * sizeof(*literals->windows);
	for (size_t i = 0; i < entries; i++)
		literals->filter[i] = 0x1100; /* any next gram, in the first of each four buckets */
	shared_count(literals, literals->heads);
	for (uint32_t i = 0; i < count; i++) {
		const struct gm_literal *literal = &literals->set.literals[i];
		uint32_t offset = window_best(literals, literal, literals->heads);

		literals->windows[i].key = literal_bytes(literals, literal, offset);
		literals->windows[i].literal = i;
		literals->windows[i].offset = offset;
		filter_enter(literals, literal, offset, i);
		likely_enter(literals, literals->windows[i].key);
	}
	memset(literals->heads, 0, (heads + 1) * sizeof(uint32_t));
	heads_fill(literals, (uint32_t)heads);
	return windows_order(literals, (uint32_t)heads);
}

/* Beyond so many literals the automaton is faster than the filter, measured on HTTP. */
enum { FILTER_MOST_PORTABLE = 64 };

#ifdef __x86_64__
/* The filter's paths for a processor's own instructions, the best first. */
static const struct path {
	enum gm_literals_impl impl;
	enum gm_impl needs;
	uint32_t (*body)(struct gm_literals *literals, struct gm_literals_record *record);
	uint32_t filter_most; /* as FILTER_MOST_PORTABLE */
} paths[] = {
	{ GM_LITERALS_AVX512, GM_AVX512, gm_literals_body_avx512, 768 },
	{ GM_LITERALS_AVX2, GM_AVX2, gm_literals_body_avx2, 512 },
};

static const struct path *path_choose(enum gm_literals_impl impl)
{
	int any = impl == GM_LITERALS_AUTO || impl == GM_LITERALS_FILTER;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if ((any || impl == paths[i].impl) && gm_impl_runs(paths[i].needs))
			return &paths[i];
	}
	return NULL;
}
#endif

static int impl_choose(struct gm_literals *literals, enum gm_literals_impl impl)
{
	literals->impl = gm_impl_name(GM_PORTABLE);
	literals->filter_most = FILTER_MOST_PORTABLE;
#ifdef __x86_64__
	const struct path *path = path_choose(impl);

	if (path) {
		literals->impl = gm_impl_name(path->needs);
		literals->body = path->body;
		literals->filter_most = path->filter_most;
		return 0;
	}
#endif
	return impl == GM_LITERALS_AVX2 || impl == GM_LITERALS_AVX512 ? -1 : 0;
}

static int automaton_is_faster(const struct gm_literals *literals, enum gm_literals_impl impl)
{
	if (literals->set.count && literals->set.shortest < GM_WINDOW)
		return 1;
	if (impl == GM_LITERALS_FILTER || impl == GM_LITERALS_FILTER_PORTABLE)
		return 0;
	return literals->set.count > literals->filter_most;
}

/* Whole rows where they are bounded: a row has four bytes for each byte that the literals have. */
enum { DENSE_BYTES_MOST = 1 << 26 };

static enum gm_ac_form form_choose(const struct gm_literal_set *set)
{
	uint8_t has[256] = { 0 };
	uint64_t classes = 1;

	for (uint32_t i = 0; i < set->count; i++) {
		for (uint32_t j = 0; j < set->literals[i].length; j++)
			has[set->literals[i].bytes[j]] = 1;
	}
	for (uint32_t byte = 0; byte < 256; byte++)
		classes += has[byte];
	return (set->total + UINT64_C(1)) * classes * sizeof(uint32_t) > DENSE_BYTES_MOST
		       ? GM_AC_COMPACT
		       : GM_AC_DENSE;
}

static int automaton_new(struct gm_literals *literals, const struct gm_literal *given,
			 uint32_t count)
{
	literals->ac = gm_ac_new(given, count, form_choose(&literals->set));
	literals->bytes = literals->ac ? gm_ac_counts(literals->ac).bytes : 0;
	literals->impl = "aho-corasick";
	return literals->ac ? 0 : -1;
}

static int ready(struct gm_literals *literals, const struct gm_literal *given, uint32_t count,
		 enum gm_literals_impl impl)
{
	if (impl_choose(literals, impl))
		return -1;
	if (gm_literal_set_copy(&literals->set, given, count))
		return -1;
	if (automaton_is_faster(literals, impl))
		return automaton_new(literals, given, count);
	literals->fold = literals->set.nocase ? GM_FOLD_BITS : 0;
	literals->bytes = literals->set.total + count * sizeof(*literals->set.literals);
	if (gm_marks_init(&literals->marks, literals->set.ids, 1))
		return -1;
	return tables_fill(literals);
}

struct gm_literals *gm_literals_new(const struct gm_literal *literals, uint32_t count,
				    enum gm_literals_impl impl)
{
	struct gm_literals *made = calloc(1, sizeof(*made));

	if (made && ready(made, literals, count, impl)) {
		gm_literals_free(made);
		return NULL;
	}
	return made;
}

void gm_literals_free(struct gm_literals *literals)
{
	if (!literals)
		return;
	free(literals->filter);
	free(literals->heads);
	free(literals->windows);
	free(literals->likely);
	gm_ac_free(literals->ac);
	gm_literal_set_free(&literals->set);
	gm_marks_free(&literals->marks);
	free(literals);
}

const char *gm_literals_impl(const struct gm_literals *literals)
{
	return literals->impl;
}

const char *gm_literals_filter_impl(enum gm_literals_impl impl)
{
	struct gm_literals none = { 0 };

	return impl_choose(&none, impl) ? NULL : none.impl;
}

size_t gm_literals_bytes(const struct gm_literals *literals)
{
	return literals->bytes;
}
