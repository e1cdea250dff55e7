/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Set membership: keys are added, asked for, and where the filter can, half of them is removed and
 * asked for again. Each phase is timed apart. `workload=study` is the literal workload of the 2012
 * study on network traffic processing: random queries of a filter of 64 K places.
 */
#include "command/commands.h"
#include "command/filter_kinds.h"
#include "gm/digest.h"
#include "gm/error.h"
#include "gm/random.h"
#include "program/instances.h"
#include "program/memory.h"
#include "program/record.h"
#include "program/timing.h"

#include <stdlib.h>
#include <string.h>

enum { STUDY_KEYS = 192000, KEYS = 65536, MOST_KEYS = 100000000, QUERY_SEED = 7 };

struct work {
	struct filter_kind kind;
	union filter filter;
	uint32_t n; /* members */
	uint32_t queries;
	uint32_t hit_pct;
	uint32_t absent; /* queries of keys that are no members: each yes to one is wrong */
	int study;
	void *members;
	void *asked;
	uint8_t *answers;
	struct timing timing;
};

/* A bijection of 32 bits: keys that differ by construction. */
static uint32_t fmix32(uint32_t h)
{
	h = (h ^ (h >> 16)) * UINT32_C(0x85ebca6b);
	h = (h ^ (h >> 13)) * UINT32_C(0xc2b2ae35);
	return h ^ (h >> 16);
}

/* fmix32 undone tells the number of a member. */
static int is_member(const struct work *work, uint32_t key)
{
	key = (key ^ (key >> 16)) * UINT32_C(0x7ed1b41d);
	key = (key ^ (key >> 13) ^ (key >> 26)) * UINT32_C(0xa5cb9243);
	return (key ^ (key >> 16)) < work->n;
}

/* Query i: any number in the study; else a member in hit_pct of 100, or one that certainly is not. */
static uint32_t query(const struct work *work, struct gm_random *random, uint32_t i)
{
	int hit;
	uint32_t member;

	if (work->study)
		return gm_random_u32(random);
	hit = gm_random_below(random, 100) < work->hit_pct;
	member = gm_random_below(random, work->n);
	return fmix32(hit ? member : (UINT32_C(1) << 31) + i);
}

static void set_key(const struct work *work, void *keys, uint32_t i, uint32_t key)
{
	if (work->kind.key_bytes == 4)
		((uint32_t *)keys)[i] = key;
	else
		((uint64_t *)keys)[i] = key;
}

/* Returns the digest of the queries, as numbers of four bytes. */
static uint64_t make_keys(struct work *work)
{
	struct gm_random random = { QUERY_SEED };
	uint64_t digest = GM_DIGEST_EMPTY;

	work->members = memory_new(work->n, work->kind.key_bytes);
	work->asked = memory_new(work->queries, work->kind.key_bytes);
	work->answers = memory_new(work->queries > work->n ? work->queries : work->n, 1);
	for (uint32_t i = 0; i < work->n; i++)
		set_key(work, work->members, i, fmix32(i));
	for (uint32_t i = 0; i < work->queries; i++) {
		uint32_t key = query(work, &random, i);

		work->absent += !is_member(work, key);
		digest = gm_digest_u32(digest, key);
		set_key(work, work->asked, i, key);
	}
	return digest;
}

static union keys members(const struct work *work)
{
	union keys keys = { work->members };

	return keys;
}

static void pass_clear(void *state)
{
	struct work *work = state;

	work->kind.clear(&work->filter);
}

static void pass_insert(void *state)
{
	struct work *work = state;
	int error = work->kind.add(&work->filter, members(work), work->n);

	if (error)
		fail(1, "%s does not take %u keys: %s", work->kind.name, work->n,
		     error == GM_NO_MEMORY ? "no memory" : "it is full");
}

static void pass_query(void *state)
{
	struct work *work = state;
	union keys keys = { work->asked };

	work->kind.find(&work->filter, keys, work->queries, work->answers);
}

static void pass_fill(void *state)
{
	pass_clear(state);
	pass_insert(state);
}

static void pass_remove(void *state)
{
	struct work *work = state;

	work->kind.remove(&work->filter, members(work), work->n / 2);
}

static void pass_requery(void *state)
{
	struct work *work = state;

	work->kind.find(&work->filter, members(work), work->n / 2, work->answers);
}

static void record_array(const char *name, const struct work *work)
{
	if (work->kind.array)
		record_digest(name,
			      gm_digest_bytes(GM_DIGEST_EMPTY, work->kind.array(&work->filter),
					      (size_t)work->kind.bytes(&work->kind, work->n)));
}

static void record_answers(const char *positives, const char *digest, const struct work *work,
			   uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += work->answers[i];
	record_number(positives, sum);
	record_digest(digest, gm_digest_bytes(GM_DIGEST_EMPTY, work->answers, count));
}

static void time_phases(struct work *work)
{
	struct timing *timing = &work->timing;

	timing_run_prepared(timing, pass_clear, pass_insert, work, work->n);
	timing_record(timing, "insert_", work->n);
	record_array("array_digest", work);
	timing_run(timing, pass_query, work, work->queries);
	timing_record(timing, "query_", work->queries);
	record_answers("positives", "digest", work, work->queries);
	if (!work->kind.remove)
		return;
	timing_run_prepared(timing, pass_fill, pass_remove, work, work->n / 2);
	timing_record(timing, "remove_", work->n / 2);
	record_array("removed_array_digest", work);
	timing_run(timing, pass_requery, work, work->n / 2);
	timing_record(timing, "requery_", work->n / 2);
	record_answers("requery_positives", "requery_digest", work, work->n / 2);
}

static uint64_t key_bytes(const struct work *work)
{
	return ((uint64_t)work->n + work->queries) * work->kind.key_bytes + work->queries;
}

static void ask_work(struct ask *ask, struct work *work)
{
	static const char *const workloads[] = { "sized", "study", NULL };

	work->kind = *filter_kind(ask_text(ask, "structure", NULL));
	work->study = ask_choice(ask, "workload", workloads);
	work->n = (uint32_t)ask_number(ask, "n", work->study ? STUDY_KEYS : KEYS, 2, MOST_KEYS);
	work->queries = (uint32_t)ask_number(ask, "queries", work->study ? STUDY_KEYS : work->n, 1,
					     MOST_KEYS);
	work->hit_pct = (uint32_t)ask_number(ask, "hit_pct", 0, 0, 100);
	timing_ask(&work->timing, ask);
}

static void record_work(const struct work *work)
{
	uint64_t bytes = work->kind.bytes(&work->kind, work->n);

	record_begin("filter");
	record_text("structure", work->kind.name);
	record_text("workload", work->study ? "study" : "sized");
	record_number("n", work->n);
	record_number("queries", work->queries);
	if (!work->study)
		record_number("hit_pct", work->hit_pct);
	record_number("instance", instances_number());
	record_number("bytes", bytes);
	record_number("peak_bytes", work->kind.peak_bytes ? work->kind.peak_bytes(work->n) : bytes);
}

static void measure(struct work *work, const char *impl)
{
	uint64_t query_digest = make_keys(work);
	uint64_t began = timing_now();

	if (work->kind.init(&work->kind, &work->filter, work->n))
		fail(1, "no memory for %s of %u keys", work->kind.name, work->n);
	record_text("impl", filter_impl(&work->kind, &work->filter, impl));
	pass_insert(work);
	record_real("build_s", (double)(timing_now() - began) / 1e9);
	record_digest("query_digest", query_digest);
	record_number("absent", work->absent);
	instances_meet();
	time_phases(work);
	work->kind.free(&work->filter);
	free(work->members);
	free(work->asked);
	free(work->answers);
}

int filter_command(struct ask *ask)
{
	struct work work = { 0 };
	const char *impl = ask_text(ask, "impl", "auto");
	const char *refused;
	uint64_t bytes;

	ask_work(ask, &work);
	ask_end(ask);
	bytes = work.kind.peak_bytes ? work.kind.peak_bytes(work.n)
				     : work.kind.bytes(&work.kind, work.n);
	refused = memory_refused(bytes + key_bytes(&work));
	record_work(&work);
	if (refused)
		record_text("skipped", refused);
	if (refused)
		instances_meet();
	else
		measure(&work, impl);
	record_end();
	return 0;
}
