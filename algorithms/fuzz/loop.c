/* SPDX-License-Identifier: Apache-2.0 */
/* A main() for a fuzz target without libFuzzer: each file of the folders that are named, once. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_MOST = 1 << 20 };

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(INPUT_MOST);
	size_t size;

	if (!file || !bytes) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	size = fread(bytes, 1, INPUT_MOST, file);
	fclose(file);
	/* At the end of the allocation, so that a read behind the input is seen. */
	LLVMFuzzerTestOneInput(memmove(bytes + INPUT_MOST - size, bytes, size), size);
	free(bytes);
}

static void run_folder(const char *folder)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry = directory ? readdir(directory) : NULL;
	char path[4096];

	for (; entry; entry = readdir(directory)) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		fprintf(stderr, "%s\n", path); /* the last of them is the one at fault */
		run_file(path);
	}
	if (directory)
		closedir(directory);
}

int main(int argc, char **argv)
{
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	for (int i = 1; i < argc; i++)
		run_folder(argv[i]);
	return EXIT_SUCCESS;
}
