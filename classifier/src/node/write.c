// SPDX-License-Identifier: Apache-2.0
/* Messages of orders; templates and records are of one list of fields. */
#include "node/fields.h"

#include <string.h>

uint64_t seal_tag(const struct seal *seal, const uint8_t *bytes, size_t length)
{
	struct siphash hash;
	uint8_t number[sizeof(seal->number)];

	for (size_t i = 0; i < sizeof(number); i++)
		number[i] = (uint8_t)(seal->number >> 8 * (sizeof(number) - 1 - i));
	siphash_begin(&hash, seal->key);
	siphash_add(&hash, seal->nonce, sizeof(seal->nonce));
	siphash_add(&hash, number, sizeof(number));
	siphash_add(&hash, bytes, length);
	return siphash_end(&hash);
}

static void put(struct orders *orders, uint64_t value, size_t bytes)
{
	for (size_t i = bytes; i > 0; i--)
		orders->bytes[orders->used++] = (uint8_t)(value >> 8 * (i - 1));
}

static void put_at(struct orders *orders, size_t at, uint64_t value, size_t bytes)
{
	size_t used = orders->used;

	orders->used = at;
	put(orders, value, bytes);
	orders->used = used;
}

static void put_bytes(struct orders *orders, const void *from, size_t bytes)
{
	memcpy(orders->bytes + orders->used, from, bytes);
	orders->used += bytes;
}

static void close_set(struct orders *orders)
{
	if (orders->set)
		put_at(orders, orders->set + 2, orders->used - orders->set, 2);
	orders->set = 0;
	orders->set_id = 0;
}

static void open_set(struct orders *orders, uint16_t id)
{
	if (orders->set_id == id)
		return;
	close_set(orders);
	orders->set = orders->used;
	orders->set_id = id;
	put(orders, id, 2);
	put(orders, 0, 2);
}

static void put_template(struct orders *orders, const struct order_template *template)
{
	put(orders, template->id, 2);
	put(orders, template->fields, 2);
	if (template->scopes)
		put(orders, template->scopes, 2);
	for (size_t i = 0; i < template->fields; i++) {
		const struct reader_field *field = &template->field[i];

		put(orders, field->element | (field->enterprise ? ENTERPRISE_BIT : 0), 2);
		put(orders, field->bytes, 2);
		if (field->enterprise)
			put(orders, field->enterprise, 4);
	}
}

static void put_templates(struct orders *orders)
{
	for (size_t i = 0; i < ORDER_TEMPLATES; i++) {
		const struct order_template *template = &order_templates[i];

		open_set(orders, template->scopes ? SET_OPTIONS : SET_TEMPLATES);
		put_template(orders, template);
	}
	close_set(orders);
}

void orders_begin(struct orders *orders, bool with_templates)
{
	orders->used = ORDER_HEADER_BYTES;
	orders->set = 0;
	orders->set_id = 0;
	orders->before = orders->records;
	if (with_templates)
		put_templates(orders);
}

/* The tag's set comes behind whatever is added. */
static bool has_room(const struct orders *orders, size_t bytes)
{
	return orders->used + SET_BYTES + bytes + SET_BYTES + ORDER_TAG_BYTES <= ORDER_MOST;
}

bool orders_add(struct orders *orders, const struct order *order)
{
	const struct flow_key *key = &order->key;
	size_t address = key->family == 4 ? 4 : 16;

	if (!has_room(orders, 2 * address + ORDER_REST_BYTES))
		return false;
	open_set(orders, key->family == 4 ? TEMPLATE_IPV4 : TEMPLATE_IPV6);
	put_bytes(orders, key->lan, address);
	put_bytes(orders, key->wan, address);
	put_bytes(orders, &key->lan_port, 2);
	put_bytes(orders, &key->wan_port, 2);
	put(orders, key->protocol, 1);
	put(orders, order->action, 1);
	put(orders, order->ttl_s, 2);
	put(orders, order->class, 1);
	put(orders, order->confidence, 1);
	put(orders, order->model, 4);
	orders->records++;
	return true;
}

bool orders_add_name(struct orders *orders, uint8_t class, const char *name)
{
	char text[ORDER_NAME_MOST] = { 0 };

	if (!has_room(orders, 1 + sizeof(text)))
		return false;
	open_set(orders, TEMPLATE_NAME);
	put(orders, class, 1);
	memcpy(text, name, strnlen(name, sizeof(text) - 1));
	put_bytes(orders, text, sizeof(text));
	orders->records++;
	return true;
}

void orders_end(struct orders *orders, struct seal *seal, uint32_t now_s)
{
	uint64_t tag;

	open_set(orders, TEMPLATE_TAG);
	put(orders, 0, ORDER_TAG_BYTES);
	close_set(orders);
	put_at(orders, 0, IPFIX_VERSION, 2);
	put_at(orders, 2, orders->used, 2);
	put_at(orders, 4, now_s, 4);
	put_at(orders, 8, orders->before, 4);
	put_at(orders, 12, 0, 4);
	tag = seal_tag(seal, orders->bytes, orders->used - ORDER_TAG_BYTES);
	put_at(orders, orders->used - ORDER_TAG_BYTES, tag, ORDER_TAG_BYTES);
	orders->records++; /* the tag is a record, too */
	seal->number++;
}
