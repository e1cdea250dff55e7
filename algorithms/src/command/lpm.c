/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gm-algorithms lpm structure=tbm5 table=FILE|generated:COUNT:SEED mix=uniform|in-table|zipf
 *   queries=N next_hops=N family=4|6 mode=independent|dependent impl=auto|portable|popcnt|avx512
 */
#include "command/commands.h"
#include "command/lpm_structure.h"
#include "command/lpm_table.h"
#include "common/processor.h"
#include "gm/digest.h"
#include "gm/impl.h"
#include "gm/prefixes.h"
#include "gm/unibit.h"
#include "program/instances.h"
#include "program/record.h"
#include "program/timing.h"

#include <stdlib.h>
#include <string.h>

enum { CORRECT = 65536, NEXT_HOPS = 256 };

static const char *const mixes[] = { "in-table", "uniform", "zipf", NULL };
static const enum gm_mix mix_of[] = { GM_MIX_IN_TABLE, GM_MIX_UNIFORM, GM_MIX_ZIPF };
static const char *const modes[] = { "independent", "dependent", NULL };
static const char *const impls[] = { "auto", "portable", "popcnt", "avx512", NULL };

struct lpm {
	struct gm_prefixes prefixes;
	struct lpm_structure structure;
	struct gm_key *keys;
	uint32_t *keys4;
	uint32_t *results;
	size_t count;
	int fast;
	volatile uint32_t zero; /* what a dependent key is mixed with; the compiler cannot know */
};

static void queries_load(struct lpm *lpm, enum gm_mix mix)
{
	lpm->keys = malloc(lpm->count * sizeof(*lpm->keys));
	lpm->keys4 = malloc(lpm->count * sizeof(*lpm->keys4));
	lpm->results = calloc(lpm->count, sizeof(*lpm->results));
	if (!lpm->keys || !lpm->keys4 || !lpm->results ||
	    gm_queries_draw(&lpm->prefixes, mix, lpm->keys, lpm->count))
		fail(1, "no memory for queries=%zu", lpm->count);
	for (size_t i = 0; i < lpm->count; i++)
		lpm->keys4[i] = (uint32_t)(lpm->keys[i].hi >> 32);
}

static void lookup(struct lpm *lpm, size_t begin, size_t count)
{
	const struct lpm_kind *kind = lpm->structure.kind;

	if (lpm->prefixes.family == 4)
		(lpm->fast ? kind->lookup4_fast : kind->lookup4)(
			&lpm->structure, lpm->keys4 + begin, lpm->results + begin, count);
	else
		(lpm->fast ? kind->lookup6_fast : kind->lookup6)(&lpm->structure, lpm->keys + begin,
								 lpm->results + begin, count);
}

static void pass_independent(void *state)
{
	struct lpm *lpm = state;

	lookup(lpm, 0, lpm->count);
}

/* Each key is mixed with nothing of the result before it, which the processor must wait for. */
static void pass_dependent(void *state)
{
	struct lpm *lpm = state;
	uint32_t zero = lpm->zero;
	uint32_t previous = 0;

	for (size_t i = 0; i < lpm->count; i++) {
		lpm->keys4[i] ^= previous & zero;
		lpm->keys[i].hi ^= previous & zero;
		lookup(lpm, i, 1);
		previous = lpm->results[i];
	}
}

/* The digest of the oracle over the first queries must be that of the structure. */
static void check(const struct lpm *lpm)
{
	uint32_t bits = lpm->prefixes.family == 4 ? 32 : 128;
	size_t count = lpm->count < CORRECT ? lpm->count : CORRECT;
	struct gm_unibit trie;

	if (gm_unibit_build(&trie, &lpm->prefixes))
		fail(1, "no memory for the trie that results are checked with");
	for (size_t i = 0; i < count; i++) {
		if (gm_unibit_lookup(&trie, &lpm->keys[i], bits) != lpm->results[i])
			fail(1, "query %zu has the wrong next hop", i);
	}
	gm_unibit_free(&trie);
}

static int has_fast(const struct lpm *lpm)
{
	const struct lpm_kind *kind = lpm->structure.kind;
	int there = lpm->prefixes.family == 4 ? kind->lookup4_fast != NULL
					      : kind->lookup6_fast != NULL;

	if (!there)
		return 0;
	return strcmp(kind->fast, "avx512") == 0 ? gm_impl_runs(GM_AVX512) : gm_has_popcnt();
}

static void impl_choose(struct lpm *lpm, const char *name, int impl)
{
	int is6 = lpm->prefixes.family == 6;

	if (is6 && !lpm->structure.kind->lookup6)
		fail(2, "structure=%s is for family=4", name);
	if (!is6 && !lpm->structure.kind->lookup4)
		fail(2, "structure=%s is for family=6", name);
	lpm->fast = impl != 1 && has_fast(lpm);
	if (impl > 1 && (!lpm->fast || strcmp(lpm->structure.kind->fast, impls[impl]) != 0))
		fail(2, "structure=%s has no impl=%s on this processor", name, impls[impl]);
}

static void record(struct lpm *lpm, const struct timing *timing, double build_s, int dependent)
{
	size_t peak_bytes;
	size_t bytes = lpm->structure.kind->record(&lpm->structure, &peak_bytes);

	record_number("prefixes", lpm->prefixes.count);
	record_text("impl", lpm->fast ? lpm->structure.kind->fast : "portable");
	record_number("batch", dependent ? 1 : lpm->structure.kind->batch);
	record_digest("digest", gm_digest_u32s(GM_DIGEST_EMPTY, lpm->results, lpm->count));
	record_number("next_hop_bytes", 2);
	record_number("bytes", bytes);
	record_number("peak_bytes", peak_bytes);
	record_real("build_s", build_s);
	timing_record(timing, dependent ? "dependent_" : "", lpm->count);
}

/* As many as are asked for; else those of the table itself, or 256. */
static uint32_t next_hops(struct gm_prefixes *prefixes, uint32_t kinds)
{
	if (!kinds && prefixes->next_hops)
		return prefixes->next_hops;
	kinds = kinds ? kinds : NEXT_HOPS;
	gm_prefixes_next_hops(prefixes, kinds);
	return kinds;
}

static void words_record(struct ask *ask)
{
	const char *table = ask_text(ask, "table", NULL);
	const char *slash = strrchr(table, '/');

	record_text("structure", ask_text(ask, "structure", NULL));
	record_text("table", slash ? slash + 1 : table);
	record_text("mix", ask_text(ask, "mix", mixes[0]));
	record_text("mode", ask_text(ask, "mode", modes[0]));
}

int lpm_command(struct ask *ask)
{
	const char *name = ask_text(ask, "structure", NULL);
	const char *path = ask_text(ask, "table", NULL);
	unsigned family = (unsigned)ask_number(ask, "family", 4, 4, 6);
	uint32_t kinds = (uint32_t)ask_number(ask, "next_hops", 0, 0, GM_NEXT_HOP_MOST);
	int mix = ask_choice(ask, "mix", mixes);
	int dependent = ask_choice(ask, "mode", modes);
	int impl = ask_choice(ask, "impl", impls);
	static struct lpm lpm;
	static struct left_out left_out;
	struct timing timing;
	uint64_t began;
	double build_s;

	lpm.count = (size_t)ask_number(ask, "queries", 1 << 20, 1, 1 << 26);
	timing_ask(&timing, ask);
	ask_end(ask);
	lpm_table_read(&lpm.prefixes, path, family, &left_out);
	kinds = next_hops(&lpm.prefixes, kinds);
	lpm_structure_named(&lpm.structure, name, &lpm.prefixes);
	impl_choose(&lpm, name, impl);
	queries_load(&lpm, mix_of[mix]);
	began = timing_now();
	if (lpm.structure.kind->build(&lpm.structure, &lpm.prefixes))
		fail(1, "structure=%s cannot hold %s: no memory, or too many blocks", name, path);
	build_s = (double)(timing_now() - began) * 1e-9;
	instances_meet();
	timing_run(&timing, dependent ? pass_dependent : pass_independent, &lpm, lpm.count);
	check(&lpm);
	record_begin("lpm");
	words_record(ask);
	record_number("family", family);
	record_number("queries", lpm.count);
	record_number("next_hops", kinds);
	record_number("left_out", left_out.count);
	if (left_out.count)
		record_text("left_out_reasons", left_out.reasons);
	record_number("instance", instances_number());
	record(&lpm, &timing, build_s, dependent);
	record_end();
	return 0;
}
