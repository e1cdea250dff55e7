// SPDX-License-Identifier: Apache-2.0
/* gm-classifier: its commands and what they share. */
#ifndef GM_CLASSIFIER_PROGRAM_H
#define GM_CLASSIFIER_PROGRAM_H

#include "model/read.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>

/* A command line's options; each command takes some of them. */
struct options {
	const char *attributes; /* names, separated by blanks or commas */
	const char *lan; /* a rule of replay/split.h */
	const char *priority; /* names of classes, separated alike */
	const char *mark; /* of what is preferred: a number, or a number/mask */
	long window, confirm; /* -1: as the model has it */
	long flows, decisions; /* in the kernel's tables */
	long new_flows; /* a second, of a LAN host; -1: as the model has it */
	bool slides, by_packet;
	const char *word[2]; /* what is no option */
	int words;
};

struct command {
	const char *name, *help, *words, *options;
	int (*run)(const struct options *options, struct fault *fault);
	int words_count;
};

extern const struct command command_features, command_run, command_verify, command_attach;

/* The next word of a list, whose length it returns; 0: there is none. */
size_t list_next(const char **list);

/* Reads a model's file. 0 or -errno with the fault filled. */
int load_model(struct named_model *named, const struct options *options, struct fault *fault);

#endif
