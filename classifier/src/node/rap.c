// SPDX-License-Identifier: Apache-2.0
/* RAP, version 1: one template out, any template in. */
#include "node/rap.h"
#include "frame/bytes.h"

#include <errno.h>
#include <string.h>

#define VERSION 1
#define HEADER_BYTES 12
#define SET_BYTES 4
#define TEMPLATE_SET 1
#define RECORDS 256 /* lowest id of a set of records, and of our template */
#define NAMED 0x8000 /* from here on, the template says how long an element is */
#define DYNAMIC 0xc000 /* from here on, a byte in the record says it, itself included */
#define ELEMENTS_MOST 64
#define FIX "let a classifier node of DIFFUSE send"
#define ADD 0
#define REMOVE 1
#define TIMEOUT_RULE 1
#define BIDIRECTIONAL 1

enum element {
	SOURCE = 1,
	DESTINATION = 2,
	SOURCE_PORT = 3,
	DESTINATION_PORT = 4,
	PROTOCOL = 5,
	KIND = 12,
	TIMEOUT_TYPE = 13,
	TIMEOUT = 14,
	FLAGS = 15,
	PACKETS = 16,
	KBYTES = 17,
	ACTION = 0x8000,
	PARAMETERS = 0x8001,
	EXPORTER = 0x8002,
	CLASSES = 0xc000,
};

/* Bytes of the elements whose length is their own, by their ids; 0: no such. */
static const uint8_t own_bytes[] = { 0, 4, 4, 2, 2, 1, 16, 16, 1, 3, 2, 1, 1, 1, 2, 2, 4, 4 };

#define OWN_ELEMENTS (sizeof(own_bytes) / sizeof(own_bytes[0]))

struct rap_element {
	uint16_t id, bytes; /* 0: a byte in the record says it */
};

/* In the order of the published sender. */
static const struct rap_element written[] = {
	{ EXPORTER, 8 },    { KIND, 1 },	 { SOURCE, 4 },
	{ DESTINATION, 4 }, { SOURCE_PORT, 2 },	 { DESTINATION_PORT, 2 },
	{ PROTOCOL, 1 },    { PACKETS, 4 },	 { KBYTES, 4 },
	{ CLASSES, 0 },	    { TIMEOUT_TYPE, 1 }, { TIMEOUT, 2 },
	{ ACTION, 8 },	    { FLAGS, 2 },	 { PARAMETERS, 16 },
};

#define WRITTEN (sizeof(written) / sizeof(written[0]))

struct out {
	uint8_t *bytes;
	size_t used;
};

static void put(struct out *out, uint64_t value, size_t bytes)
{
	be_store(out->bytes + out->used, value, bytes);
	out->used += bytes;
}

static void put_text(struct out *out, const char *text, size_t bytes)
{
	memset(out->bytes + out->used, 0, bytes);
	memcpy(out->bytes + out->used, text, strnlen(text, bytes - 1));
	out->used += bytes;
}

static void put_bytes(struct out *out, const void *from, size_t bytes)
{
	memcpy(out->bytes + out->used, from, bytes);
	out->used += bytes;
}

static void put_template(struct out *out)
{
	size_t set = out->used;

	put(out, TEMPLATE_SET, 2);
	put(out, 0, 2);
	put(out, RECORDS, 2);
	put(out, 0, 2);
	for (size_t i = 0; i < WRITTEN; i++) {
		put(out, written[i].id, 2);
		if (written[i].id >= NAMED && written[i].id < DYNAMIC)
			put(out, written[i].bytes, 2);
	}
	be16_store(out->bytes + set + 2, (uint16_t)(out->used - set));
}

/* The class's name, a zero, its number: behind a byte that says how long that is. */
static void put_classes(struct out *out, const struct order *order, const char *class_name)
{
	size_t length = strnlen(class_name, ORDER_NAME_MOST - 1);

	put(out, 1 + length + 1 + 2, 1);
	put_bytes(out, class_name, length);
	put(out, 0, 1);
	put(out, order->class, 2);
}

static void put_record(struct out *out, const struct order *order, const char *class_name)
{
	put_text(out, "gm", 8);
	put(out, order->action == ORDER_PREFER ? ADD : REMOVE, 1);
	put_bytes(out, order->key.lan, 4);
	put_bytes(out, order->key.wan, 4);
	put_bytes(out, &order->key.lan_port, 2);
	put_bytes(out, &order->key.wan_port, 2);
	put(out, order->key.protocol, 1);
	put(out, 0, 8); /* packets, kilobytes: we do not count them */
	put_classes(out, order, class_name);
	put(out, TIMEOUT_RULE, 1);
	put(out, order->ttl_s, 2);
	put_text(out, "prefer", 8);
	put(out, BIDIRECTIONAL, 2);
	put_text(out, "", 16);
}

size_t rap_write(uint8_t bytes[ORDER_MOST], uint32_t sequence, uint32_t now_s,
		 const struct order *orders, size_t count, const char *class_name)
{
	struct out out = { bytes, HEADER_BYTES };
	size_t set;

	put_template(&out);
	set = out.used;
	put(&out, RECORDS, 2);
	put(&out, 0, 2);
	for (size_t i = 0; i < count && i < RAP_ORDERS_MOST; i++)
		put_record(&out, &orders[i], class_name);
	be16_store(bytes + set + 2, (uint16_t)(out.used - set));
	set = out.used;
	out.used = 0;
	put(&out, VERSION, 2);
	put(&out, set, 2);
	put(&out, sequence, 4);
	put(&out, now_s, 4);
	return set;
}

struct in {
	const uint8_t *bytes;
	size_t elements;
	uint32_t id; /* of the template; 0: none came */
	struct rap_element element[ELEMENTS_MOST];
	uint16_t ttl_s;
	void (*take)(void *context, const struct order *order);
	void *context;
	struct fault *fault;
};

static int refuse(const struct in *in, size_t at, const char *what)
{
	return fault_set(in->fault, -EBADMSG, NULL, FIX, "RAP: byte %zu: %s", at, what);
}

/* Bytes of the element's own description; 0: it is none. */
static size_t read_element(struct rap_element *element, const uint8_t *bytes, size_t left)
{
	if (left < 2)
		return 0;
	*element = (struct rap_element){ .id = be16_load(bytes) };
	if (element->id >= DYNAMIC)
		return 2;
	if (element->id < NAMED) {
		element->bytes = element->id < OWN_ELEMENTS ? own_bytes[element->id] : 0;
		return element->bytes ? 2 : 0;
	}
	if (left < 4)
		return 0;
	element->bytes = be16_load(bytes + 2);
	return element->bytes ? 4 : 0;
}

static int read_template(struct in *in, size_t at, size_t end)
{
	if (end - at < SET_BYTES)
		return refuse(in, at, "no room for a template");
	in->id = be16_load(in->bytes + at);
	if (in->id < RECORDS)
		return refuse(in, at, "no number of a template");
	in->elements = 0;
	for (at += SET_BYTES; at < end; in->elements++) {
		size_t bytes;

		if (in->elements == ELEMENTS_MOST)
			return refuse(in, at, "too many elements");
		bytes = read_element(&in->element[in->elements], in->bytes + at, end - at);
		if (!bytes)
			return refuse(in, at, "an element of no known length");
		at += bytes;
	}
	return in->elements ? 0 : refuse(in, at, "a template of no elements");
}

/* A record's values, by the elements that an order is made of. */
struct values {
	struct order order;
	uint32_t kind, seen; /* bits of the elements below 32 */
};

#define NEEDED                                                                                     \
	(1u << SOURCE | 1u << DESTINATION | 1u << SOURCE_PORT | 1u << DESTINATION_PORT |           \
	 1u << PROTOCOL | 1u << KIND)

static void read_value(struct values *values, unsigned int id, const uint8_t *bytes)
{
	struct flow_key *key = &values->order.key;

	if (id < OWN_ELEMENTS)
		values->seen |= 1u << id;
	switch (id) {
	case SOURCE:
		memcpy(key->lan, bytes, 4);
		break;
	case DESTINATION:
		memcpy(key->wan, bytes, 4);
		break;
	case SOURCE_PORT:
		memcpy(&key->lan_port, bytes, 2);
		break;
	case DESTINATION_PORT:
		memcpy(&key->wan_port, bytes, 2);
		break;
	case PROTOCOL:
		key->protocol = *bytes;
		break;
	case KIND:
		values->kind = *bytes;
		break;
	case TIMEOUT:
		values->order.ttl_s = be16_load(bytes);
		break;
	default:
		break;
	}
}

static void act(const struct in *in, struct values *values)
{
	struct order *order = &values->order;
	unsigned int protocol = order->key.protocol;

	if ((values->seen & NEEDED) != NEEDED || values->kind > REMOVE ||
	    (protocol != CLASSIFY_TCP && protocol != CLASSIFY_UDP))
		return;
	order->key.family = 4;
	order->action = values->kind == ADD ? ORDER_PREFER : ORDER_NO_MORE;
	if (!order->ttl_s)
		order->ttl_s = in->ttl_s;
	in->take(in->context, order);
}

static int read_records(const struct in *in, size_t at, size_t end)
{
	while (at < end) {
		struct values values = { 0 };

		for (size_t i = 0; i < in->elements; i++) {
			const struct rap_element *element = &in->element[i];
			size_t bytes = element->bytes;

			if (!bytes)
				bytes = at < end ? in->bytes[at] : 0;
			if (!bytes || bytes > end - at)
				return refuse(in, at, "an element beyond its set");
			read_value(&values, element->id, in->bytes + at);
			at += bytes;
		}
		act(in, &values);
	}
	return 0;
}

int rap_read(const uint8_t *bytes, size_t length, uint16_t ttl_s,
	     void (*take)(void *context, const struct order *order), void *context,
	     struct fault *fault)
{
	struct in in = {
		.bytes = bytes, .ttl_s = ttl_s, .take = take, .context = context, .fault = fault
	};
	size_t whole = length >= HEADER_BYTES ? be16_load(bytes + 2) : 0, bytes_of_set;
	int error = 0;

	if (whole < HEADER_BYTES || whole > length || be16_load(bytes) != VERSION)
		return refuse(&in, 0, "no header of version 1");
	for (size_t at = HEADER_BYTES; !error && at < whole; at += bytes_of_set) {
		uint32_t id;

		if (whole - at < SET_BYTES)
			return refuse(&in, at, "no room for a set");
		id = be16_load(bytes + at);
		bytes_of_set = be16_load(bytes + at + 2);
		if (bytes_of_set < SET_BYTES || bytes_of_set > whole - at)
			return refuse(&in, at + 2, "a set of no such length");
		if (id == TEMPLATE_SET)
			error = read_template(&in, at + SET_BYTES, at + bytes_of_set);
		else if (id == in.id && id)
			error = read_records(&in, at + SET_BYTES, at + bytes_of_set);
	}
	return error;
}
