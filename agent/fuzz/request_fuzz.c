// SPDX-License-Identifier: Apache-2.0
/* Any text as a request of every kind of key: a result or a fault with words, never more. */
#include "lib/request.h"

#include <stdlib.h>
#include <string.h>

struct order {
	int64_t count;
	double rate;
	const char *name;
	int kind;
	struct integers sizes;
	struct texts names;
	unsigned int what;
};

static const char *const kinds[] = { "raw", "udp", NULL };

static const struct key keys[] = {
	KEY(order, count, INTEGER, .required = true, .min = 1, .max = 10, .help = "count"),
	KEY(order, rate, NUMBER, .max = 100, .help = "rate"),
	KEY(order, name, TEXT, .help = "name"),
	KEY(order, kind, CHOICE, .choices = kinds, .help = "kind"),
	KEY(order, sizes, INTEGERS, .min = 64, .max = 1518, .help = "sizes"),
	KEY(order, names, TEXTS, .help = "names"),
	KEY(order, what, CHOICES, .choices = kinds, .help = "what"),
	{ 0 },
};

/* Called by libFuzzer. */
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_order(const struct order *order)
{
	if (order->count < 1 || order->count > 10 || order->rate < 0 || order->rate > 100)
		abort();
	if (order->kind < 0 || order->kind > 1 || order->what > 3)
		abort();
	for (size_t i = 0; i < order->sizes.count; i++)
		if (order->sizes.item[i] < 64 || order->sizes.item[i] > 1518)
			abort();
	for (size_t i = 0; i < order->names.count; i++)
		if (!strlen(order->names.item[i]))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct order order = { 0 };
	struct fault fault = { 0 };
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (request_read(&order, text, keys, NULL, &fault) == 0)
		check_order(&order);
	else if (!*fault.reason || !*fault.mend)
		abort();
	request_release(&order, keys);
	free(text);
	return 0;
}
