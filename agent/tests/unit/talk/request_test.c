// SPDX-License-Identifier: Apache-2.0
#include "talk/request.h"
#include "tests/test.h"

#include <errno.h>
#include <stdlib.h>

struct side {
	int64_t rate;
	bool cells;
};

struct order {
	int64_t count;
	double rate;
	const char *name;
	int kind;
	struct integers sizes;
	struct texts names;
	unsigned int what;
	struct side side;
};

static const char *const kinds[] = { "raw", "udp", NULL };

static const struct key keys[] = {
	KEY(order, count, INTEGER, .required = true, .min = 1, .max = 10, .help = "1 to 10"),
	KEY(order, rate, NUMBER, .preset = 7, .max = 100, .help = "rate"),
	KEY(order, name, TEXT, .help = "a name"),
	KEY(order, kind, CHOICE, .preset = 1, .choices = kinds, .help = "raw or udp"),
	{ 0 },
};

static const struct key side_keys[] = {
	KEY(side, cells, FLAG, .help = "true or false"),
	KEY(side, rate, INTEGER, .required = true, .max = 9, .help = "0 to 9"),
	{ 0 },
};

static const struct key more_keys[] = {
	KEY(order, side, OBJECT, .keys = side_keys, .help = "an object"),
	KEY(order, sizes, INTEGERS, .min = 64, .max = 1518, .help = "sizes"),
	KEY(order, names, TEXTS, .help = "names"),
	KEY(order, what, CHOICES, .choices = kinds, .help = "what"),
	{ 0 },
};

static char *text;

static int read_order(struct order *order, const char *source, struct fault *fault)
{
	free(text);
	text = strdup(source);
	*order = (struct order){ 0 };
	*fault = (struct fault){ 0 };
	return request_read(order, text, keys, more_keys, fault);
}

static void release(struct order *order)
{
	request_release(order, keys);
	request_release(order, more_keys);
}

TEST(request_reads)
{
	struct order order;
	struct fault fault;

	CHECK_EQUAL(
		read_order(&order,
			   "{\"count\":3,\"name\":\"n\",\"kind\":\"raw\",\"sizes\":[64,1518,70],"
			   "\"names\":[\"a\",\"b\"],\"what\":[\"udp\"],\"rate\":0.5}",
			   &fault),
		0);
	CHECK_EQUAL(order.count, 3);
	CHECK_TEXT(order.name, "n");
	CHECK_EQUAL(order.kind, 0);
	CHECK(order.rate == 0.5);
	CHECK_EQUAL(order.sizes.count, 3);
	CHECK_EQUAL(order.sizes.item[1], 1518);
	CHECK_EQUAL(order.names.count, 2);
	CHECK_TEXT(order.names.item[1], "b");
	CHECK_EQUAL(order.what, 2);
	release(&order);
}

TEST(request_presets)
{
	struct order order;
	struct fault fault;

	CHECK_EQUAL(read_order(&order, "{\"count\":1,\"sizes\":100}", &fault), 0);
	CHECK(order.rate == 7.0);
	CHECK_EQUAL(order.kind, 1);
	CHECK(!order.name);
	CHECK_EQUAL(order.sizes.count, 1);
	CHECK_EQUAL(order.sizes.item[0], 100);
	release(&order);
}

TEST(request_reads_an_object)
{
	struct order order;
	struct fault fault;

	CHECK_EQUAL(read_order(&order, "{\"side\":{\"cells\":true,\"rate\":4},\"count\":2}",
			       &fault),
		    0);
	CHECK_EQUAL(order.side.rate, 4);
	CHECK(order.side.cells);
	CHECK_EQUAL(order.count, 2);
	release(&order);
}

TEST(request_refuses)
{
	static const struct {
		const char *text, *key;
	} bad[] = {
		{ "{\"count\":1,\"speed\":2}", "speed" },
		{ "{}", "count" },
		{ "{\"count\":0}", "count" },
		{ "{\"count\":11}", "count" },
		{ "{\"count\":1.5}", "count" },
		{ "{\"count\":\"1\"}", "count" },
		{ "{\"count\":[1]}", "count" },
		{ "{\"count\":[]}", "count" },
		{ "{\"count\":1,\"count\":1}", "count" },
		{ "{\"count\":1,\"rate\":-1}", "rate" },
		{ "{\"count\":1,\"rate\":1e999}", "rate" },
		{ "{\"count\":1,\"rate\":true}", "rate" },
		{ "{\"count\":1,\"name\":\"\"}", "name" },
		{ "{\"count\":1,\"name\":null}", "name" },
		{ "{\"count\":1,\"kind\":\"tcp\"}", "kind" },
		{ "{\"count\":1,\"kind\":0}", "kind" },
		{ "{\"count\":1,\"sizes\":[64,63]}", "sizes" },
		{ "{\"count\":1,\"sizes\":[64,\"x\"]}", "sizes" },
		{ "{\"count\":1,\"sizes\":[64,", "sizes" },
		{ "{\"count\":1,\"names\":\"a\"}", "names" },
		{ "{\"count\":1,\"names\":[1]}", "names" },
		{ "{\"count\":1,\"what\":[\"tcp\"]}", "what" },
		{ "{\"count\":1,\"what\":\"udp\"}", "what" },
		{ "{\"count\":1,\"side\":1}", "side" },
		{ "{\"count\":1,\"side\":{}}", "side" },
		{ "{\"count\":1,\"side\":{\"rate\":10}}", "side" },
		{ "{\"count\":1,\"side\":{\"rate\":1,\"cells\":1}}", "side" },
		{ "{\"count\":1,\"side\":{\"rate\":1,\"rate\":1}}", "side" },
		{ "{\"count\":1,\"side\":{\"speed\":1}}", "side" },
		{ "{\"count\":{\"rate\":1}}", "count" },
		{ "{\"count\":1", NULL },
		{ "hello", NULL },
	};
	struct order order;
	struct fault fault;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CHECK_EQUAL(read_order(&order, bad[i].text, &fault), -EINVAL);
		if (bad[i].key)
			CHECK_TEXT(fault.key, bad[i].key);
		else
			CHECK(!fault.key);
		CHECK(*fault.reason && *fault.fix);
		release(&order);
	}
	free(text);
	text = NULL;
}

TEST(request_names_what_is_known)
{
	struct order order;
	struct fault fault;

	CHECK_EQUAL(read_order(&order, "{\"count\":1,\"kind\":\"tcp\"}", &fault), -EINVAL);
	CHECK_TEXT(fault.fix, "one of: raw, udp");
	release(&order);
	CHECK_EQUAL(read_order(&order, "{\"count\":1,\"side\":{\"speed\":1}}", &fault), -EINVAL);
	CHECK_TEXT(fault.fix, "known keys: cells, rate");
	release(&order);
	free(text);
	text = NULL;
}

TEST(request_bounds_lists)
{
	size_t room = 4 * (REQUEST_LIST_MAX + 1) + 64;
	char *list = malloc(room);
	struct order order;
	struct fault fault;
	size_t used = (size_t)snprintf(list, room, "{\"count\":1,\"sizes\":[64");

	for (int i = 1; i < REQUEST_LIST_MAX; i++)
		used += (size_t)snprintf(list + used, room - used, ",64");
	snprintf(list + used, room - used, "]}");
	CHECK_EQUAL(read_order(&order, list, &fault), 0);
	CHECK_EQUAL(order.sizes.count, REQUEST_LIST_MAX);
	release(&order);
	snprintf(list + used, room - used, ",64]}");
	CHECK_EQUAL(read_order(&order, list, &fault), -EINVAL);
	CHECK_TEXT(fault.key, "sizes");
	release(&order);
	free(list);
	free(text);
	text = NULL;
}
