// SPDX-License-Identifier: Apache-2.0
/* Messages of orders; templates and records are of one list of fields. */
#include "frame/bytes.h"
#include "node/fields.h"

#include <string.h>

uint64_t seal_tag(const struct seal *seal, const uint8_t *bytes, size_t length)
{
	struct siphash hash;
	uint8_t number[sizeof(seal->number)];

	be_store(number, seal->number, sizeof(number));
	siphash_begin(&hash, seal->key);
	siphash_add(&hash, seal->nonce, sizeof(seal->nonce));
	siphash_add(&hash, number, sizeof(number));
	siphash_add(&hash, bytes, length);
	return siphash_end(&hash);
}

static void put_template(struct message *message, const struct order_template *template)
{
	message_put(message, template->id, 2);
	message_put(message, template->fields, 2);
	if (template->scopes)
		message_put(message, template->scopes, 2);
	for (size_t i = 0; i < template->fields; i++) {
		const struct reader_field *field = &template->field[i];

		message_put(message, field->element | (field->enterprise ? MESSAGE_ENTERPRISE : 0),
			    2);
		message_put(message, field->bytes, 2);
		if (field->enterprise)
			message_put(message, field->enterprise, 4);
	}
}

static void put_templates(struct orders *orders)
{
	for (size_t i = 0; i < ORDER_TEMPLATES; i++) {
		const struct order_template *template = &order_templates[i];

		message_open(&orders->message, template->scopes ? SET_OPTIONS : SET_TEMPLATES);
		put_template(&orders->message, template);
	}
	message_close(&orders->message);
}

void orders_begin(struct orders *orders, bool with_templates)
{
	message_begin(&orders->message);
	orders->before = orders->records;
	if (with_templates)
		put_templates(orders);
}

/* The tag's set comes behind whatever is added. */
static bool has_room(const struct orders *orders, size_t bytes)
{
	return orders->message.used + MESSAGE_SET_BYTES + bytes + MESSAGE_SET_BYTES +
		       ORDER_TAG_BYTES <=
	       ORDER_MOST;
}

bool orders_add(struct orders *orders, const struct order *order)
{
	const struct flow_key *key = &order->key;
	struct message *message = &orders->message;
	size_t address = key->family == 4 ? 4 : 16;

	if (!has_room(orders, 2 * address + ORDER_REST_BYTES))
		return false;
	message_open(message, key->family == 4 ? TEMPLATE_IPV4 : TEMPLATE_IPV6);
	message_put_bytes(message, key->lan, address);
	message_put_bytes(message, key->wan, address);
	message_put_bytes(message, &key->lan_port, 2);
	message_put_bytes(message, &key->wan_port, 2);
	message_put(message, key->protocol, 1);
	message_put(message, order->action, 1);
	message_put(message, order->ttl_s, 2);
	message_put(message, order->class, 1);
	message_put(message, order->confidence, 1);
	message_put(message, order->model, 4);
	orders->records++;
	return true;
}

bool orders_add_name(struct orders *orders, uint8_t class, const char *name)
{
	struct message *message = &orders->message;
	char text[ORDER_NAME_MOST] = { 0 };

	if (!has_room(orders, 1 + sizeof(text)))
		return false;
	message_open(message, TEMPLATE_NAME);
	message_put(message, class, 1);
	memcpy(text, name, strnlen(name, sizeof(text) - 1));
	message_put_bytes(message, text, sizeof(text));
	orders->records++;
	return true;
}

void orders_end(struct orders *orders, struct seal *seal, uint32_t now_s)
{
	const struct message_head head = { .now_s = now_s, .sequence = orders->before };
	struct message *message = &orders->message;
	size_t tagged;

	message_open(message, TEMPLATE_TAG);
	tagged = message->used;
	message_put(message, 0, ORDER_TAG_BYTES);
	message_end(message, &head);
	message_put_at(message, tagged, seal_tag(seal, message->bytes, tagged), ORDER_TAG_BYTES);
	orders->records++; /* the tag is a record, too */
	seal->number++;
}
