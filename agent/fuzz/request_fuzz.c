// SPDX-License-Identifier: Apache-2.0
/*
 * Any text as a request of every kind of key, and as a verb's own: a result or a fault with words,
 * never more.
 */
#include "talk/request.h"
#include "verbs/verb.h"

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

/* Reading overwrites the text, so each reader has a copy. */
static void read_copy(void *request, const struct key *table, const uint8_t *data, size_t size,
		      void (*check)(const struct order *))
{
	struct fault fault = { 0 };
	char *text = malloc(size + 1);
	int error;

	if (!text)
		return;
	memcpy(text, data, size);
	text[size] = '\0';
	error = request_read(request, text, table, NULL, &fault);
	if (!error && check)
		check(request);
	if (error && (!*fault.reason || !*fault.fix))
		abort();
	request_release(request, table);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct order order = { 0 };
	void *request = calloc(1, verb_stream.request_bytes);

	read_copy(&order, keys, data, size, check_order);
	if (request)
		read_copy(request, verb_stream.keys, data, size, NULL);
	free(request);
	return 0;
}
