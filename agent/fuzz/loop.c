// SPDX-License-Identifier: Apache-2.0
/*
 * A main() for a fuzz target without libFuzzer: each file of the folders that are named once, then
 * a number of inputs that a generator draws. Prints how many there were.
 */
#include "fuzz/fuzz.h"
#include "tests/test.h"

#include <dirent.h>

#define INPUT_MAX 65536
#define DRAWN_MAX 512

static void run_file(const char *path)
{
	FILE *file = fopen(path, "re");
	uint8_t *bytes = malloc(INPUT_MAX);
	size_t size;

	if (!file || !bytes) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	size = fread(bytes, 1, INPUT_MAX, file);
	fclose(file);
	LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
}

/* How many files there are in a folder; each is run. */
static unsigned int run_folder(const char *folder)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	unsigned int count = 0;
	char path[4096];

	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		fprintf(stderr, "%s\n", path); /* the last of them is the one at fault */
		run_file(path);
		count++;
	}
	if (directory)
		closedir(directory);
	return count;
}

/* Bytes of which most are small: a structured input has many choices and few large numbers. */
static void run_drawn(unsigned int count)
{
	uint64_t state = 0x9e3779b97f4a7c15;
	uint8_t bytes[DRAWN_MAX];

	for (unsigned int i = 0; i < count; i++) {
		size_t size = test_random(&state) % sizeof(bytes);

		for (size_t at = 0; at < size; at++)
			bytes[at] =
				(uint8_t)(test_random(&state) >> (56 + test_random(&state) % 6));
		LLVMFuzzerTestOneInput(bytes, size);
	}
}

int main(int argc, char **argv)
{
	unsigned int drawn = 0, files = 0;

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "-draw=", 6) == 0)
			drawn = (unsigned int)strtoul(argv[i] + 6, NULL, 10);
		else
			files += run_folder(argv[i]);
	}
	fprintf(stderr, "%u drawn\n", drawn);
	run_drawn(drawn);
	printf("%u\n", files + drawn);
	return EXIT_SUCCESS;
}
