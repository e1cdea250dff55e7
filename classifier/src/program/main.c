// SPDX-License-Identifier: Apache-2.0
/*
 * gm-classifier: computes what the gateway's classifier computes, from a capture. The same code runs
 * in the kernel, so that a model is trained and judged by the numbers that decide there.
 */
#include "program/program.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2

static const struct command *const commands[] = { &command_features, &command_run,
						  &command_verify,   &command_attach,
						  &command_watch,    &command_act };

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct option long_options[] = {
	{ "attributes", required_argument, NULL, 'a' },
	{ "window", required_argument, NULL, 'w' },
	{ "lan", required_argument, NULL, 'l' },
	{ "sliding", no_argument, NULL, 's' },
	{ "confirm", required_argument, NULL, 'c' },
	{ "packets", no_argument, NULL, 'p' },
	{ "priority", required_argument, NULL, 'P' },
	{ "mark", required_argument, NULL, 'm' },
	{ "flows", required_argument, NULL, 'f' },
	{ "decisions", required_argument, NULL, 'd' },
	{ "to", required_argument, NULL, 't' },
	{ "key", required_argument, NULL, 'k' },
	{ "rap", required_argument, NULL, 'r' },
	{ "ttl", required_argument, NULL, 'T' },
	{ "new-flows", required_argument, NULL, 'n' },
	{ "guard", required_argument, NULL, 'g' },
	{ "rest", required_argument, NULL, 'R' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static int help(void)
{
	printf("gm-classifier: classifies the flows of a capture as a gateway does\n\nUsage:\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  gm-classifier %s %s\n      %s\n%s", commands[i]->name, commands[i]->words,
		       commands[i]->help, commands[i]->options);
	return EXIT_SUCCESS;
}

static int usage(const char *reason, const char *word)
{
	fprintf(stderr, "gm-classifier: %s%s; try gm-classifier --help\n", reason, word);
	return EXIT_USAGE;
}

/* A whole number from 0 to most, or -1. */
static long number(const char *text, long most)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	return end == text || *end || errno || value < 0 || value > most ? -1 : value;
}

/* The number of an option; the reason is written where it is none, or out of its bounds. */
static int take_number(long *into, const char *name, long least, long most)
{
	char why[64];

	*into = number(optarg, most);
	if (*into >= least)
		return 0;
	snprintf(why, sizeof(why), "--%s takes %ld to %ld, not ", name, least, most);
	return usage(why, optarg);
}

/* Where the words of an option go that takes words; NULL: it takes none. */
static const char **words_of(struct options *options, int option)
{
	switch (option) {
	case 'a':
		return &options->attributes;
	case 'l':
		return &options->lan;
	case 'P':
		return &options->priority;
	case 'm':
		return &options->mark;
	case 't':
		return &options->to;
	case 'k':
		return &options->key;
	case 'r':
		return &options->rap;
	default:
		return NULL;
	}
}

static int take(struct options *options, int option)
{
	const char **words = words_of(options, option);

	if (words) {
		*words = optarg;
		return 0;
	}
	switch (option) {
	case 's':
		options->slides = true;
		return 0;
	case 'p':
		options->by_packet = true;
		return 0;
	case 'T':
		return take_number(&options->ttl_s, "ttl", 2, 3600);
	case 'w':
		return take_number(&options->window, "window", 2, WINDOW_MOST);
	case 'f':
		return take_number(&options->flows, "flows", 64, 1 << 20);
	case 'd':
		return take_number(&options->decisions, "decisions", 64, 1 << 20);
	case 'n':
		return take_number(&options->new_flows, "new-flows", 1, 1 << 20);
	case 'g':
		return take_number(&options->guard, "guard", 1000, 1 << 30);
	case 'R':
		return take_number(&options->rest, "rest", 0, REST_MOST);
	case 'c':
		return take_number(&options->confirm, "confirm", 0, 254);
	default:
		return EXIT_USAGE; /* getopt_long() has written the reason */
	}
}

/* What is foreign is read in the sandbox. */
static int run_sandboxed(const struct command *command, struct options *options,
			 struct fault *fault)
{
	int error = 0;

	for (int i = 0; !error && i < command->files; i++)
		error = file_open(&options->file[i], options->word[i], fault);
	if (!error && command->needs)
		sandbox_enter(command->needs);
	if (!error)
		error = command->run(options, fault);
	for (int i = 0; i < command->files; i++)
		file_close(&options->file[i]);
	return error;
}

static int run(const struct command *command, int count, char **words)
{
	struct options options = {
		.lan = "auto",
		.window = -1,
		.confirm = -1,
		.flows = 16384,
		.decisions = 4096,
		.new_flows = -1,
		.guard = -1,
		.rest = -1,
		.ttl_s = 30,
	};
	struct fault fault = { 0 };
	int option, error;

	while ((option = getopt_long(count, words, "", long_options, NULL)) != -1) {
		if (option == 'h')
			return help();
		error = take(&options, option);
		if (error)
			return error;
	}
	for (; optind < count && options.words < 2; optind++)
		options.word[options.words++] = words[optind];
	if (options.words != command->words_count || optind < count)
		return usage("the command line is: ", command->words);
	error = run_sandboxed(command, &options, &fault);
	if (!error && (fflush(stdout) || ferror(stdout)))
		error = fault_set(&fault, -EIO, NULL, "make room for it", "writing the output");
	if (!error)
		return EXIT_SUCCESS;
	fprintf(stderr, "gm-classifier: %s: %s\n", fault.reason, fault.fix);
	return error == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return help();
	for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
		if (strcmp(argv[1], commands[i]->name) == 0)
			return run(commands[i], argc - 1, argv + 1);
	return usage(argc > 1 ? "no such command: " : "a command is missing",
		     argc > 1 ? argv[1] : "");
}
