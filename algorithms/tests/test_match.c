/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions over few letters and short texts: each engine against the tree's oracle. */
#include "automaton/dfa.h"
#include "automaton/nfa.h"
#include "gm/match.h"
#include "gm/patterns.h"
#include "gm/random.h"
#include "gm/records.h"
#include "match/engines.h"
#include "pattern/regex.h"
#include "payload/result.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

enum { PATTERNS = 4, TEXTS = 24, ROUNDS = 400, TEXT = 32 };

static const struct gm_engine *const engines[] = {
	&gm_engine_dfa,
	&gm_engine_d2fa,
	&gm_engine_adfa,
	&gm_engine_hfa,
};

struct line {
	char bytes[4096];
	size_t length;
};

static void put(struct line *line, const char *text)
{
	size_t length = strlen(text);

	if (line->length + length < sizeof(line->bytes)) {
		memcpy(line->bytes + line->length, text, length + 1);
		line->length += length;
	}
}

static void random_expression(struct line *line, struct gm_random *random, int depth)
{
	static const char *const atoms[] = {
		"a",   "b", "c", "B", ".",	"[ab]",	  "[^a]", "\\x00",  "\\xff",
		"\\n", "^", "$", "",  "(?m:^)", "(?m:$)", "\\Z",  "(?i:a)", "[^\\n]"
	};
	static const char *const repeats[] = {
		"*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "*?"
	};
	uint32_t kind = gm_random_below(random, depth > 3 ? 4 : 8);

	if (kind < 4) {
		put(line, atoms[gm_random_below(random, sizeof(atoms) / sizeof(atoms[0]))]);
		return;
	}
	put(line, kind < 7 ? "" : "(");
	random_expression(line, random, depth + 1);
	put(line, kind == 7 ? "|" : "");
	random_expression(line, random, depth + 1);
	put(line, kind < 7 ? "" : ")");
	if (kind == 7 && gm_random_below(random, 2))
		put(line, repeats[gm_random_below(random, sizeof(repeats) / sizeof(repeats[0]))]);
}

static uint32_t random_text(uint8_t *text, struct gm_random *random)
{
	static const uint8_t letters[] = { 'a', 'b', 'c', 'A', '\n', 0, 0xff, 'B' };
	uint32_t length = gm_random_below(random, TEXT + 1);

	for (uint32_t i = 0; i < length; i++)
		text[i] = letters[gm_random_below(random, sizeof(letters))];
	/* A newline at the end is a case of its own. */
	if (length && gm_random_below(random, 3) == 0)
		text[length - 1] = '\n';
	return length;
}

static uint64_t oracle_digest(const struct gm_patterns *patterns, const struct gm_records *records)
{
	struct gm_result result;
	struct gm_hits hits;
	uint64_t digest;

	CHECK(gm_result_init(&result, records->count) == GM_MATCH_OK);
	CHECK(gm_hits_init(&hits, patterns->count) == GM_MATCH_OK);
	for (uint32_t i = 0; i < records->count; i++) {
		const uint8_t *text = records->bytes + records->offsets[i];
		uint32_t length = records->offsets[i + 1] - records->offsets[i];

		for (uint32_t id = 0; id < patterns->count; id++) {
			if (gm_regex_matches(patterns->forest, patterns->patterns[id].root, text,
					     length) == 1)
				gm_hits_add(&hits, id);
		}
		gm_result_close(&result, i, &hits);
	}
	digest = gm_result_digest(&result);
	gm_hits_free(&hits);
	gm_result_free(&result);
	return digest;
}

static uint64_t engine_digest(const struct gm_engine *engine, const struct gm_patterns *patterns,
			      const struct gm_records *records, struct gm_match_bounds bounds)
{
	struct gm_match_error error = { NULL, 0, 0 };
	void *built = engine->build(patterns, &bounds, &error);
	struct gm_result result;
	uint64_t digest = 0;

	if (!built) {
		printf("# %s: %s\n", engine->name, error.reason);
		return 0;
	}
	CHECK(gm_result_init(&result, records->count) == GM_MATCH_OK);
	for (int twice = 0; twice < 2; twice++) { /* a scan must leave nothing behind */
		gm_result_clear(&result);
		CHECK(engine->scan(built, records, &result) == GM_MATCH_OK);
		digest = gm_result_digest(&result);
	}
	gm_result_free(&result);
	engine->free(built);
	return digest;
}

static void random_records(struct gm_records *records, struct gm_random *random)
{
	uint8_t text[TEXT];

	memset(records, 0, sizeof(*records));
	for (int i = 0; i < TEXTS; i++) {
		uint32_t length = random_text(text, random);

		CHECK(gm_records_add(records, text, length) == GM_MATCH_OK);
	}
}

static void check_engines(const struct line *lines, const struct gm_records *records,
			  struct gm_match_bounds bounds)
{
	struct gm_patterns *patterns =
		gm_patterns_read((const uint8_t *)lines->bytes, lines->length);
	uint64_t digest = oracle_digest(patterns, records);

	for (size_t i = 0; patterns->count && i < sizeof(engines) / sizeof(engines[0]); i++) {
		int agrees = engine_digest(engines[i], patterns, records, bounds) == digest;

		CHECK(agrees);
		if (!agrees)
			printf("# %s with\n# %s\n", engines[i]->name, lines->bytes);
	}
	gm_patterns_free(patterns);
}

static void random_sets(uint64_t seed, const char *before, struct gm_match_bounds bounds)
{
	struct gm_random random = { seed };

	for (int round = 0; round < ROUNDS && !test_failed; round++) {
		struct line lines = { { 0 }, 0 };
		struct gm_records records;

		for (uint32_t i = 0; i < PATTERNS; i++) {
			put(&lines, before);
			random_expression(&lines, &random, 0);
			put(&lines, before[0] == '/' ? "/\n" : "\n");
		}
		random_records(&records, &random);
		check_engines(&lines, &records, bounds);
		gm_records_free(&records);
	}
}

static void engines_equal_the_oracle(void)
{
	struct gm_match_bounds bounds = { 0 };

	random_sets(1, "", bounds);
}

static void engines_equal_the_oracle_with_pcre_dollar(void)
{
	struct gm_match_bounds bounds = { 0 };

	random_sets(2, "/", bounds);
}

static void engines_equal_the_oracle_caseless(void)
{
	struct gm_match_bounds bounds = { .diameter = 4 };

	random_sets(3, "l7:", bounds);
}

static const struct gm_match_bounds few_states = { .max_states = 24, .diameter = 2 };

/* So few states that sets are halved; a single pattern that is too large is refused with its line. */
static void parts_equal_the_oracle(void)
{
	struct gm_random random = { 4 };
	int halved = 0;

	for (int round = 0; round < ROUNDS && !test_failed; round++) {
		struct line lines = { { 0 }, 0 };
		struct gm_patterns *patterns;
		struct gm_records records;
		struct gm_match_error error = { NULL, 0, 0 };
		void *built;

		for (uint32_t i = 0; i < PATTERNS; i++) {
			random_expression(&lines, &random, 1);
			put(&lines, "\n");
		}
		random_records(&records, &random);
		patterns = gm_patterns_read((const uint8_t *)lines.bytes, lines.length);
		built = patterns->count ? gm_engine_dfa.build(patterns, &few_states, &error) : NULL;
		if (built) {
			struct gm_counters counters = { { { NULL, 0 } }, 0 };

			gm_engine_dfa.count(built, &counters);
			halved += counters.counters[1].value > 1;
			gm_engine_dfa.free(built);
			CHECK(engine_digest(&gm_engine_dfa, patterns, &records, few_states) ==
			      oracle_digest(patterns, &records));
		} else if (patterns->count) {
			CHECK(error.line > 0 && error.reason != NULL);
		}
		gm_patterns_free(patterns);
		gm_records_free(&records);
	}
	CHECK(halved > 0);
}

static const struct test tests[] = {
	{ "engines find what the oracle finds", engines_equal_the_oracle },
	{ "also with a dollar before a last newline", engines_equal_the_oracle_with_pcre_dollar },
	{ "also without regard to case", engines_equal_the_oracle_caseless },
	{ "also in parts, when states are few", parts_equal_the_oracle },
};

TESTS_MAIN(tests)
