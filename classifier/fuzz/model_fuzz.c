// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a model: it is refused with the number of one of its lines, or it is a tree, whose
 * walk ends at a leaf whatever the values are.
 */
#include "fuzz/fuzz.h"
#include "model/read.h"

static void require_refusal(const struct fault *fault, const uint8_t *data, size_t size)
{
	unsigned long line = 0, lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	REQUIRE(sscanf(fault->reason, "m:%lu:", &line) == 1);
	REQUIRE(line >= 1 && line <= lines);
	REQUIRE(*fault->fix);
}

static void require_tree(const struct named_model *named, size_t size)
{
	struct scratch scratch;

	REQUIRE(named->model.nodes && named->model.classes);
	REQUIRE(named->model.window >= 2 && named->model.window <= WINDOW_MOST);
	for (int i = 0; i < 64; i++) {
		uint32_t state = (uint32_t)size * 2654435761u + (uint32_t)i;
		uint32_t leaf;

		for (size_t at = 0; at < MODEL_ATTRIBUTES_MOST; at++) {
			state = state * 1664525u + 1013904223u;
			scratch.value[at] = (int32_t)(state >> (state & 31));
		}
		leaf = model_leaf(&named->model, &scratch);
		REQUIRE(leaf & LEAF);
		REQUIRE(LEAF_CLASS(leaf) < named->model.classes);
		REQUIRE(LEAF_CONFIDENCE(leaf) <= 100);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct named_model named;
	struct fault fault = { 0 };
	char *copy = calloc(1, size ? size : 1); /* of its length: a step beyond is seen */
	int error;

	REQUIRE(copy);
	if (size)
		memcpy(copy, data, size);
	error = model_read(&named, "m", copy, size, &fault);
	if (error)
		require_refusal(&fault, data, size);
	else
		require_tree(&named, size);
	free(copy);
	return 0;
}
