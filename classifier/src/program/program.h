// SPDX-License-Identifier: Apache-2.0
/* gm-classifier: its commands and what they share. */
#ifndef GM_CLASSIFIER_PROGRAM_H
#define GM_CLASSIFIER_PROGRAM_H

#include "classifier/core/rest.h"
#include "model/read.h"
#include "replay/file.h"
#include "sandbox/sandbox.h"
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
	const char *to, *key; /* action nodes; the file of the key that both have */
	const char *rap; /* where an action node hears RAP */
	long ttl_s; /* how long an order holds */
	long new_flows; /* a second, of a LAN host; -1: as the model has it */
	long guard; /* bytes a second of a preferred flow, both ways; -1: as the model has it */
	long rest; /* packets that pass without a look at a time; -1: as the command has it */
	bool slides, by_packet;
	const char *word[2]; /* what is no option */
	struct file file[2]; /* that words name */
	int words;
};

struct command {
	const char *name, *help, *words, *options;
	int (*run)(const struct options *options, struct fault *fault);
	int words_count, files; /* so many words name a file, which is open when it runs */
	unsigned int needs; /* of enum sandbox_need; 0: it enters the sandbox itself */
};

extern const struct command command_features, command_run, command_verify, command_attach,
	command_watch, command_act;

extern const char *const verdict_words[]; /* by enum verdict */

/* Bits of a packet's mark. */
struct mark {
	uint32_t value, mask;
};

/* The next word of a list, whose length it returns; 0: there is none. */
size_t list_next(const char **list);

/* Reads the model, of options' first file. 0 or -errno with the fault filled. */
int load_model(struct named_model *named, const struct options *options, struct fault *fault);

/*
 * Gives a mark to the classes that are preferred, and to packets on probation; takes it from all
 * others, so that their flows leave no decision behind.
 */
void mark_preferred(struct model *model, uint32_t mark);

/* A number, or a number/mask, as iptables and nft have it. 0 or -EINVAL with the fault filled. */
int mark_read(struct mark *mark, const char *text, struct fault *fault);

/* A descriptor that is read when SIGINT or SIGTERM came. 0 or -errno with the fault filled. */
int signals_open(int *descriptor, struct fault *fault);

/*
 * Says on stderr that flows are offloaded, as often as there are some where there were none, and the
 * same of those that a driver forwards. Asks the kernel after 2, 4, 8 s and so on, at last every
 * 32 s: the answer takes it milliseconds (kernel/offload.c).
 */
#define OFFLOAD_LOOK_LEAST_US 2000000ull
#define OFFLOAD_LOOK_MOST_US 32000000ull
struct offloads {
	uint64_t looked_us, pause_us; /* the last look, and how long it holds */
	uint64_t most; /* flows at a time until now */
	bool are_there, by_driver;
};
void offloads_look(struct offloads *offloads, uint64_t now_us);

/* Whether a decided flow is to be preferred now. */
bool decision_prefers(const struct model *model, const struct decision *decision);

#endif
