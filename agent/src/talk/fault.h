// SPDX-License-Identifier: Apache-2.0
/*
 * What went wrong, in the user's words: which key, why, how to fix it. A function that can fail
 * fills in a fault and returns -errno; the verb's caller reports it as the protocol's error line.
 * -EINVAL means that the request is at fault (exit code 2), anything else that the job failed (1).
 */
#ifndef GM_FAULT_H
#define GM_FAULT_H

#include <string.h>

struct fault {
	const char *key; /* the request's key at fault, or NULL; borrowed */
	char reason[256];
	char fix[512]; /* what the user can do about it */
};

/* Fills in the reason by a format; key and fix as above. */
__attribute__((format(printf, 4, 5))) void fault_fill(struct fault *fault, const char *key,
						      const char *fix, const char *format, ...);

/*
 * fault_set(fault, error, key, fix, format, ...): fills in a fault and is error, so that a failing
 * function can end in `return fault_set(...)`. A macro, so that compiler and analyser see the
 * value.
 */
#define fault_set(fault, error, ...) (fault_fill(fault, __VA_ARGS__), (error))

/* The fix for an errno (negative) that has no special one. */
const char *fault_fix(int error);

/* A failed system call: the reason is "what: strerror". Returns error. */
static inline int fault_system(struct fault *fault, int error, const char *key, const char *what)
{
	fault_fill(fault, key, fault_fix(error), "%s: %s", what, strerror(-error));
	return error;
}

#endif
