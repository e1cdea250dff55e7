/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions and records over few letters, and what the oracle on their trees finds. */
#ifndef GM_TESTS_EXPRESSIONS_H
#define GM_TESTS_EXPRESSIONS_H

#include "gm/patterns.h"
#include "gm/random.h"
#include "gm/records.h"
#include "pattern/regex.h"
#include "payload/result.h"

#include <stdlib.h>
#include <string.h>

struct expression_case {
	char text[16384];
	uint32_t used;
	struct gm_patterns *patterns;
	struct gm_records records;
};

static inline void text_add(struct expression_case *made, const char *text)
{
	size_t length = strlen(text);

	memcpy(made->text + made->used, text, length + 1);
	made->used += (uint32_t)length;
}

static inline void atom_add(struct expression_case *made, struct gm_random *random)
{
	static const char *const atoms[] = { "a",     "b",	"c",	"a",   "b",
					     "[ab]",  ".",	"[^a]", "\\n", "\\x00",
					     "\\xff", "(?i:c)", "ab",	"cab", "abca" };

	text_add(made, atoms[gm_random_below(random, sizeof(atoms) / sizeof(atoms[0]))]);
}

static inline void expression_add(struct expression_case *made, struct gm_random *random,
				  uint32_t depth)
{
	static const char *const repeats[] = { "*", "+", "?", "{2}", "{1,3}", "{2,}" };
	uint32_t parts = 1 + gm_random_below(random, 4);

	for (uint32_t i = 0; i < parts; i++) {
		if (depth && gm_random_below(random, 4) == 0) {
			text_add(made, "(");
			expression_add(made, random, depth - 1);
			text_add(made, gm_random_below(random, 2) ? "|" : "");
			expression_add(made, random, depth - 1);
			text_add(made, ")");
		} else {
			atom_add(made, random);
			if (gm_random_below(random, 3))
				continue;
		}
		if (gm_random_below(random, 3) == 0)
			text_add(made, repeats[gm_random_below(random, 6)]);
	}
}

static inline void pattern_add(struct expression_case *made, struct gm_random *random)
{
	uint32_t kind = gm_random_below(random, 12);

	if (kind == 0) {
		text_add(made, "content:\"ab");
		text_add(made, gm_random_below(random, 2) ? "ca\"; nocase\n" : "bc|00|\"\n");
		return;
	}
	text_add(made, "/");
	text_add(made, kind == 1 ? "^" : "");
	expression_add(made, random, 2);
	text_add(made, kind == 2 ? "$" : "");
	text_add(made, "/");
	text_add(made, kind == 3 ? "i" : kind == 4 ? "m" : "");
	text_add(made, kind < 8 ? "s\n" : "\n");
}

static inline void records_make(struct expression_case *made, struct gm_random *random)
{
	static const uint8_t letters[] = "abcaabbC\n\0\xff";
	uint32_t count = gm_random_below(random, 24);
	uint8_t bytes[32];

	memset(&made->records, 0, sizeof(made->records));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t length = gm_random_below(random, sizeof(bytes) + 1);

		for (uint32_t j = 0; j < length; j++)
			bytes[j] = letters[gm_random_below(random, 11)];
		gm_records_add(&made->records, bytes, length);
	}
	if (!made->records.offsets)
		made->records.offsets = calloc(1, sizeof(uint32_t));
}

static inline void expressions_make(struct expression_case *made, uint64_t seed)
{
	struct gm_random random = { seed };
	uint32_t patterns = 1 + gm_random_below(&random, 12);

	made->used = 0;
	for (uint32_t i = 0; i < patterns; i++)
		pattern_add(made, &random);
	made->patterns = gm_patterns_read((const uint8_t *)made->text, made->used);
	records_make(made, &random);
}

static inline int expressions_match(const struct expression_case *given, uint32_t id,
				    uint32_t record)
{
	const uint32_t *at = given->records.offsets + record;

	return gm_regex_matches(given->patterns->forest, given->patterns->patterns[id].root,
				given->records.bytes + at[0], at[1] - at[0]);
}

static inline int has_id(const struct gm_result *result, uint32_t record, uint32_t id)
{
	for (uint32_t i = 0; i < result->count[record]; i++) {
		if (result->ids[result->first[record] + i] == id)
			return 1;
	}
	return 0;
}

static inline int expressions_equal(const struct expression_case *given,
				    const struct gm_result *result)
{
	for (uint32_t i = 0; i < given->records.count; i++) {
		uint32_t matches = 0;

		for (uint32_t id = 0; id < given->patterns->count; id++) {
			int expected = expressions_match(given, id, i);

			matches += (uint32_t)expected;
			if (expected != has_id(result, i, id))
				return 0;
		}
		if (matches != result->count[i])
			return 0;
	}
	return 1;
}

static inline void expressions_free(struct expression_case *given)
{
	gm_patterns_free(given->patterns);
	gm_records_free(&given->records);
}

#endif
