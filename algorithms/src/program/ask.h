/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the program is asked for: words `key=value` after the command. A key that nobody takes, a
 * value that does not fit and a file that cannot be read end the program with code 2 and one line.
 */
#ifndef GM_PROGRAM_ASK_H
#define GM_PROGRAM_ASK_H

#include <stddef.h>
#include <stdint.h>

enum { ASK_WORDS = 32 };

struct ask {
	const char *command;
	const char *keys[ASK_WORDS];
	const char *values[ASK_WORDS];
	unsigned char taken[ASK_WORDS];
	int count;
};

/* Reads the words of a command line; argv[0] is the command. */
void ask_read(struct ask *ask, int argc, char **argv);

/* The value of a key; `otherwise` where it was not given, or an error where that is NULL. */
const char *ask_text(struct ask *ask, const char *key, const char *otherwise);

/* A whole number in least..most; `otherwise` where it was not given. */
uint64_t ask_number(struct ask *ask, const char *key, uint64_t otherwise, uint64_t least,
		    uint64_t most);

/* The place of a key's value among `names` (which NULL ends); the first where it was not given. */
int ask_choice(struct ask *ask, const char *key, const char *const *names);

/* Ends the program if there are words that nobody took: call it before the work begins. */
void ask_end(const struct ask *ask);

/* Prints `gm-algorithms: ...` to stderr and exits: code 2 for what the user can mend. */
void fail(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
