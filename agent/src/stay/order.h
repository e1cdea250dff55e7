// SPDX-License-Identifier: Apache-2.0
/* Orders to an agent that stays: a line each, bytes behind some (PROTOCOL.md, "stay"). */
#ifndef GM_ORDER_H
#define GM_ORDER_H

#include <stddef.h>

#define ORDER_LINE_BYTES 64 /* the longest line */
#define ORDER_MOST_BYTES (64u << 10) /* behind it */
#define VERB_BYTES 16

enum order_kind {
	ORDER_BEGIN, /* begin NUMBER VERB */
	ORDER_IN, /* in NUMBER BYTES, and as many bytes */
	ORDER_END, /* end NUMBER: its stdin */
	ORDER_KILL, /* kill NUMBER */
};

struct order {
	enum order_kind kind;
	unsigned int number;
	char verb[VERB_BYTES];
	size_t bytes;
};

/* Reads a line without its end. 0, or -EINVAL. */
int order_read(const char *line, struct order *order);

#endif
