// SPDX-License-Identifier: Apache-2.0
/*
 * What the fuzz targets share: what has to hold, and taking an input apart. A target is one
 * function, LLVMFuzzerTestOneInput(), which libFuzzer or loop.c calls.
 */
#ifndef GM_FUZZ_H
#define GM_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Optional: called once before the first input; may end the process where nothing can be run. */
extern int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

/* A property that every input has to keep. */
#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__,          \
				#condition);                                                       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* What is left of an input; 0 is read behind its end. */
struct input {
	const uint8_t *at;
	size_t left;
};

static inline uint8_t input_8(struct input *input)
{
	if (!input->left)
		return 0;
	input->left--;
	return *input->at++;
}

static inline uint16_t input_16(struct input *input)
{
	uint16_t high = input_8(input);

	return (uint16_t)(high << 8 | input_8(input));
}

static inline uint32_t input_32(struct input *input)
{
	uint32_t high = input_16(input);

	return high << 16 | input_16(input);
}

static inline uint64_t input_64(struct input *input)
{
	uint64_t high = input_32(input);

	return high << 32 | input_32(input);
}

/* So many of the next bytes, or all that are left. */
static inline struct input input_part(struct input *input, size_t most)
{
	struct input part = { input->at, most < input->left ? most : input->left };

	input->at += part.left;
	input->left -= part.left;
	return part;
}

/* In memory of exactly its length, so that the sanitizer sees a step beyond; to be freed. */
static inline uint8_t *input_copy(struct input part)
{
	uint8_t *copy = malloc(part.left ? part.left : 1);

	REQUIRE(copy);
	if (part.left)
		memcpy(copy, part.at, part.left);
	return copy;
}

#endif
