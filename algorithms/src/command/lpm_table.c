/* SPDX-License-Identifier: Apache-2.0 */
#include "command/lpm_table.h"

#include "program/ask.h"
#include "program/file.h"

#include <stdio.h>
#include <string.h>

enum { SMALL_TABLE = 4096 }; /* below it the depth of the smaller of the study's tables */

static void table_generate(struct gm_prefixes *prefixes, const char *words)
{
	unsigned long count;
	unsigned long long seed;
	char rest;
	uint32_t small;

	if (sscanf(words, "%lu:%llu%c", &count, &seed, &rest) != 2 || count < 1 || count > 4000000)
		fail(2, "table=generated:%s is not of the form generated:COUNT:SEED", words);
	/* The depths of the study's two tables. */
	small = count < SMALL_TABLE;
	if (gm_prefixes_generate(prefixes, (uint32_t)count, seed, small ? 1200 : 1300,
				 small ? 5 : 6))
		fail(1,
		     "table=generated:%s cannot be made: so many prefixes of this depth do not fit",
		     words);
}

/* Says which lines cannot be read: the first few of many, and how many there are. */
static void refuse_lines(const char *path, const struct gm_prefixes_problem *problem)
{
	static const char form[] = "a line is a prefix, with or without its next hop, or what "
				   "`ip route` or `bgpdump -m` prints";
	char named[512] = "";
	int length = 0;

	if (problem->bad == 1)
		fail(2, "%s:%lu: %s; %s", path, (unsigned long)problem->line, problem->reason,
		     form);
	for (uint32_t i = 0; i < problem->bad && i < GM_PREFIXES_NAMED; i++)
		length += snprintf(named + length, sizeof(named) - (size_t)length, "%s%lu: %s",
				   i ? "; " : "", (unsigned long)problem->named[i].line,
				   problem->named[i].reason);
	fail(2, "%s: %lu lines cannot be read: %s%s; %s", path, (unsigned long)problem->bad, named,
	     problem->bad > GM_PREFIXES_NAMED ? "; ..." : "", form);
}

static void table_parse(struct gm_prefixes *prefixes, const char *path, unsigned family,
			struct left_out *left_out)
{
	struct gm_prefixes_problem problem;
	struct file file = file_read(path);
	int error =
		gm_prefixes_parse(prefixes, family, (const char *)file.bytes, file.size, &problem);

	file_free(&file);
	if (error == GM_LPM_BAD_LINE && !problem.line)
		fail(2, "%s is %s", path, problem.reason);
	if (error == GM_LPM_BAD_LINE)
		refuse_lines(path, &problem);
	if (error == GM_LPM_TOO_LARGE)
		fail(2, "%s:%lu: more than %d next hops, or too many routes", path,
		     (unsigned long)problem.line, GM_NEXT_HOP_MOST);
	if (error)
		fail(1, "%s: no memory for its prefixes", path);
	if (!prefixes->count)
		fail(2, "%s has no prefix of family=%u", path, family);
	left_out->count = problem.other_family + problem.no_route + problem.repeated;
	snprintf(left_out->reasons, sizeof(left_out->reasons),
		 "%lu of the other family, %lu without a route or of another routing table, %lu "
		 "of a prefix that is there before",
		 (unsigned long)problem.other_family, (unsigned long)problem.no_route,
		 (unsigned long)problem.repeated);
}

void lpm_table_read(struct gm_prefixes *prefixes, const char *name, unsigned family,
		    struct left_out *left_out)
{
	static const char generated[] = "generated:";

	if (strncmp(name, generated, sizeof(generated) - 1) == 0)
		table_generate(prefixes, name + sizeof(generated) - 1);
	else
		table_parse(prefixes, name, family, left_out);
}
