/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an expression: rejected with an offset, or printed and parsed again the same. */
#include "pattern/regex.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *printed(const struct gm_forest *forest, uint32_t root)
{
	size_t length = gm_regex_print(forest, root, NULL, 0);
	char *text = malloc(length + 1);

	if (!text)
		exit(0);
	gm_regex_print(forest, root, text, length + 1);
	return text;
}

static void round_trip(struct gm_forest *forest, uint32_t root)
{
	struct gm_regex_error error = { NULL, 0 };
	char *first = printed(forest, root);
	uint32_t again = gm_regex_parse(forest, (const uint8_t *)first, strlen(first), 0, &error);

	/* Printing sets groups around repeats, so only the nesting may be too deep. */
	if (again) {
		char *second = printed(forest, again);

		if (strcmp(first, second) != 0)
			abort();
		free(second);
	} else if (!error.reason || !strstr(error.reason, "nested")) {
		abort();
	}
	free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gm_regex_error error = { NULL, 0 };
	struct gm_forest forest;
	uint32_t root;

	if (!size)
		return 0;
	gm_forest_init(&forest);
	root = gm_regex_parse(&forest, data + 1, size - 1, data[0], &error);
	if (root) {
		gm_regex_matches(&forest, root, data, size < 63 ? (unsigned)size : 63);
		round_trip(&forest, root);
	} else if (error.offset > size - 1) {
		abort();
	}
	gm_forest_free(&forest);
	return 0;
}
