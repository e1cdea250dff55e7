/* SPDX-License-Identifier: Apache-2.0 */
/* gm-algorithms COMMAND key=value...: times one algorithm here, and prints a line of JSON. */
#include "command/commands.h"
#include "program/ask.h"
#include "program/instances.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	int (*run)(struct ask *ask);
	const char *help;
} commands[] = {
	{ "lpm", lpm_command, "longest prefix match" },
	{ "filter", filter_command, "set membership" },
	{ "match", match_command, "pattern matching" },
	{ "gateway", gateway_command, "what a gateway does besides: flows, checksums, ciphers" },
	{ "platform", platform_command, "memory, caches and clock" },
	{ NULL, NULL, NULL },
};

static int usage(FILE *out)
{
	fputs("usage: gm-algorithms COMMAND key=value...\n\n", out);
	for (int i = 0; commands[i].name; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
	fputs("\nEvery command takes instances=N, repeats=N and pass_ms=MS.\n", out);
	return out == stderr ? 2 : 0;
}

int main(int argc, char **argv)
{
	struct ask ask;

	if (argc < 2 || strcmp(argv[1], "--help") == 0)
		return usage(argc < 2 ? stderr : stdout);
	ask_read(&ask, argc - 1, argv + 1);
	for (int i = 0; commands[i].name; i++) {
		if (strcmp(commands[i].name, argv[1]) == 0)
			return instances_run(&ask, commands[i].run);
	}
	fail(2, "no command %s; gm-algorithms --help lists them", argv[1]);
}
