// SPDX-License-Identifier: Apache-2.0
/* All rows that the kernel lists of a kind, by netlink(7), and the attributes of each. */
#ifndef GM_DUMP_H
#define GM_DUMP_H

#include <stddef.h>
#include <stdint.h>

/* A stretch of attributes, or what one of them holds; at: NULL where there is none. */
struct attributes {
	const char *at;
	size_t bytes;
};

/*
 * Asks a family of netlink for all rows of a kind; `fixed_bytes` zeros follow the header, there and
 * in each answer. `row` gets an answer's fixed part and its attributes. 0 or -errno; -EAGAIN: the
 * list changed meanwhile.
 */
int dump_rows(int family, uint16_t kind, size_t fixed_bytes,
	      void (*row)(void *context, const char *fixed, struct attributes), void *context);

/* Takes the first attribute off; its kind, or -1 at the end. */
int dump_next(struct attributes *rest, struct attributes *value);

/* The value of the first attribute of a kind. */
struct attributes dump_find(struct attributes, int kind);

/* A number of 32 bits in the host's order; 0 where there is none. */
uint32_t dump_number(struct attributes);

/* Removes every connection that this namespace tracks. 0 or -errno. */
int dump_forget_connections(void);

#endif
