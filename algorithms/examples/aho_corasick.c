/* SPDX-License-Identifier: Apache-2.0 */
/* Which of some strings a record has, by an automaton. */
#include "gm/aho_corasick.h"
#include "gm/literals.h"
#include "gm/match.h"
#include "gm/records.h"

#include <stdio.h>

static const struct gm_literal literals[] = {
	{ (const uint8_t *)"attack", 6, 1, 0 },
	{ (const uint8_t *)"index.html", 10, 2, 0 },
};

int main(void)
{
	static const char request[] = "GET /index.html";
	struct gm_pair found[8];
	struct gm_pairs pairs = { found, 8, 0 };
	struct gm_records records = { 0 };
	struct gm_ac *matcher = gm_ac_new(literals, 2, GM_AC_COMPACT);

	if (!matcher || gm_records_add(&records, (const uint8_t *)request, sizeof(request) - 1))
		return 1;
	gm_ac_scan(matcher, &records, &pairs);
	printf("%u pair: record %u, literal %u\n", (unsigned)pairs.count, (unsigned)found[0].record,
	       (unsigned)found[0].id);
	gm_records_free(&records);
	gm_ac_free(matcher);
	return 0;
}

/* Prints:
 * 1 pair: record 0, literal 2
 */
