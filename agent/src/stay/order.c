// SPDX-License-Identifier: Apache-2.0
/* Orders, read. */
#include "stay/order.h"

#include <errno.h>
#include <string.h>

static const char *const words[] = {
	[ORDER_BEGIN] = "begin",
	[ORDER_IN] = "in",
	[ORDER_END] = "end",
	[ORDER_KILL] = "kill",
};

#define WORDS (sizeof(words) / sizeof(words[0]))

/* A number of at most nine digits; NULL where there is none. */
static const char *number(const char *text, unsigned int *value)
{
	const char *first = text;

	*value = 0;
	while (*text >= '0' && *text <= '9' && text - first < 9)
		*value = *value * 10 + (unsigned int)(*text++ - '0');
	return text > first ? text : NULL;
}

/* What stands behind the number. */
static int rest(const char *text, struct order *order)
{
	unsigned int bytes = 0;
	size_t length;

	if (order->kind == ORDER_END || order->kind == ORDER_KILL)
		return *text ? -EINVAL : 0;
	if (*text++ != ' ')
		return -EINVAL;
	if (order->kind == ORDER_IN) {
		text = number(text, &bytes);
		order->bytes = bytes;
		return text && !*text && bytes && bytes <= ORDER_MOST_BYTES ? 0 : -EINVAL;
	}
	length = strlen(text);
	if (!length || length >= sizeof(order->verb))
		return -EINVAL;
	memcpy(order->verb, text, length + 1);
	return 0;
}

int order_read(const char *line, struct order *order)
{
	const char *text = strchr(line, ' ');

	*order = (struct order){ 0 };
	if (!text)
		return -EINVAL;
	for (size_t i = 0; i < WORDS; i++)
		if (strlen(words[i]) == (size_t)(text - line) &&
		    memcmp(words[i], line, (size_t)(text - line)) == 0) {
			order->kind = (enum order_kind)i;
			text = number(text + 1, &order->number);
			return text ? rest(text, order) : -EINVAL;
		}
	return -EINVAL;
}
