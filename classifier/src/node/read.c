// SPDX-License-Identifier: Apache-2.0
/* Reads messages of orders by the templates that came with them; no length is trusted. */
#include "frame/bytes.h"
#include "node/fields.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define FIX ORDER_FIX
#define FIELD_BYTES 4

/* A part of a message that is read from its front. */
struct part {
	const uint8_t *at;
	size_t left;
};

/* The next so many bytes as a number; there have to be as many. */
static uint32_t take(struct part *part, size_t bytes)
{
	uint32_t value = (uint32_t)be_load(part->at, bytes);

	part->at += bytes;
	part->left -= bytes;
	return value;
}

size_t order_length(const uint8_t header[ORDER_HEADER_BYTES])
{
	size_t length = (size_t)be_load(header + 2, 2);

	if (be_load(header, 2) != MESSAGE_VERSION ||
	    length < ORDER_HEADER_BYTES + MESSAGE_SET_BYTES + ORDER_TAG_BYTES ||
	    length > ORDER_MOST)
		return 0;
	return length;
}

/* Without a branch that says by its time how much of it was right. */
bool order_is_sealed(const struct seal *seal, const uint8_t *bytes, size_t length)
{
	size_t body = length - ORDER_TAG_BYTES;

	return (seal_tag(seal, bytes, body) ^ be_load(bytes + body, ORDER_TAG_BYTES)) == 0;
}

static struct reader_template *find(struct reader *reader, uint32_t id)
{
	for (unsigned int i = 0; i < reader->templates; i++)
		if (reader->template[i].id == id)
			return &reader->template[i];
	return NULL;
}

static int read_fields(struct reader_template *template, struct part *part, struct fault *fault)
{
	for (size_t i = 0; i < template->fields; i++) {
		struct reader_field *field = &template->field[i];
		uint32_t element;

		if (part->left < FIELD_BYTES)
			return fault_set(fault, -EBADMSG, NULL, FIX, "half a template");
		element = take(part, 2);
		*field = (struct reader_field){ 0, (uint16_t)(element & ~MESSAGE_ENTERPRISE),
						(uint16_t)take(part, 2) };
		if (element & MESSAGE_ENTERPRISE) {
			if (part->left < 4)
				return fault_set(fault, -EBADMSG, NULL, FIX, "half a template");
			field->enterprise = take(part, 4);
		}
		if (field->bytes == LENGTH_VARIES || field->bytes > ORDER_MOST)
			return fault_set(fault, -EBADMSG, NULL, FIX,
					 "template %u: element %u is of no fixed length",
					 template->id, field->element);
		template->bytes = (uint16_t)(template->bytes + field->bytes);
	}
	return template->bytes ? 0
			       : fault_set(fault, -EBADMSG, NULL, FIX,
					   "template %u: records of no bytes", template->id);
}

/* Keeps a template, in the place of one with its id. */
static int keep(struct reader *reader, const struct reader_template *template, struct fault *fault)
{
	struct reader_template *place = find(reader, template->id);

	if (!place && reader->templates == READER_TEMPLATES)
		return fault_set(fault, -EBADMSG, NULL, FIX, "more than %d templates",
				 READER_TEMPLATES);
	if (!place)
		place = &reader->template[reader->templates++];
	*place = *template;
	return 0;
}

/* Less than a field may follow as padding (RFC 7011, 3.3.1). */
static int read_templates(struct reader *reader, struct part *part, bool options,
			  struct fault *fault)
{
	size_t head = options ? 6 : 4;

	while (part->left >= head) {
		struct reader_template template = { .id = (uint16_t)take(part, 2) };
		int error;

		template.fields = (uint16_t)take(part, 2);
		if (options)
			take(part, 2);
		if (template.id < SET_RECORDS || !template.fields ||
		    template.fields > READER_FIELDS)
			return fault_set(fault, -EBADMSG, NULL, FIX, "template %u of %u elements",
					 template.id, template.fields);
		error = read_fields(&template, part, fault);
		if (!error)
			error = keep(reader, &template, fault);
		if (error)
			return error;
	}
	return 0;
}

/* What a record has, as bits of these. */
enum has { HAS_SOURCE = 1, HAS_DESTINATION = 2, HAS_PORTS = 4 + 8, HAS_ACTION = 16, HAS_NAME = 32 };

struct record {
	struct order order;
	const uint8_t *name;
	size_t name_bytes;
	unsigned int has;
};

static void read_address(struct record *record, uint32_t address[4], const uint8_t *bytes,
			 size_t length, unsigned int has)
{
	if (length != 4 && length != 16)
		return;
	memset(address, 0, 16);
	memcpy(address, bytes, length);
	record->order.key.family = length == 4 ? 4 : 6;
	record->has |= has;
}

static void read_known(struct record *record, const struct reader_field *field,
		       const uint8_t *bytes)
{
	struct flow_key *key = &record->order.key;

	switch (field->element) {
	case ELEMENT_SOURCE_IPV4:
	case ELEMENT_SOURCE_IPV6:
		read_address(record, key->lan, bytes, field->bytes, HAS_SOURCE);
		break;
	case ELEMENT_DESTINATION_IPV4:
	case ELEMENT_DESTINATION_IPV6:
		read_address(record, key->wan, bytes, field->bytes, HAS_DESTINATION);
		break;
	case ELEMENT_SOURCE_PORT:
		if (field->bytes != sizeof(key->lan_port))
			break;
		memcpy(&key->lan_port, bytes, sizeof(key->lan_port));
		record->has |= 4;
		break;
	case ELEMENT_DESTINATION_PORT:
		if (field->bytes != sizeof(key->wan_port))
			break;
		memcpy(&key->wan_port, bytes, sizeof(key->wan_port));
		record->has |= 8;
		break;
	case ELEMENT_PROTOCOL:
		key->protocol = (uint8_t)be_load(bytes, field->bytes);
		break;
	default:
		break;
	}
}

static void read_own(struct record *record, const struct reader_field *field, const uint8_t *bytes)
{
	struct order *order = &record->order;
	uint64_t value = be_load(bytes, field->bytes);

	switch (field->element) {
	case OWN_ACTION:
		order->action = value == ORDER_PREFER ? ORDER_PREFER : ORDER_NO_MORE;
		record->has |= HAS_ACTION;
		break;
	case OWN_TTL:
		order->ttl_s = (uint16_t)value;
		break;
	case OWN_CLASS:
		order->class = (uint8_t)value;
		break;
	case OWN_CONFIDENCE:
		order->confidence = (uint8_t)value;
		break;
	case OWN_MODEL:
		order->model = (uint32_t)value;
		break;
	case OWN_NAME:
		record->name = bytes;
		record->name_bytes = field->bytes;
		record->has |= HAS_NAME;
		break;
	default:
		break;
	}
}

/* It goes to nft and to terminals, whoever wrote it. */
static bool is_plain(uint8_t letter)
{
	return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
	       (letter >= 'A' && letter <= 'Z') || letter == '-' || letter == '_' || letter == '.';
}

static void keep_name(struct reader *reader, const struct record *record)
{
	char *name = reader->name[record->order.class];
	size_t length = record->name_bytes < ORDER_NAME_MOST ? record->name_bytes
							     : ORDER_NAME_MOST - 1;

	memset(name, 0, ORDER_NAME_MOST);
	for (size_t i = 0; i < length && record->name[i]; i++)
		name[i] = is_plain(record->name[i]) ? (char)record->name[i] : '?';
}

static void act(struct reader *reader, const struct record *record)
{
	const unsigned int whole = HAS_SOURCE | HAS_DESTINATION | HAS_PORTS | HAS_ACTION;
	const struct order *order = &record->order;
	bool is_flow = order->key.protocol == CLASSIFY_TCP || order->key.protocol == CLASSIFY_UDP;

	if (record->has & HAS_NAME)
		keep_name(reader, record);
	else if ((record->has & whole) == whole && is_flow &&
		 (order->action == ORDER_NO_MORE || order->ttl_s))
		reader->take(reader->context, order);
}

/* What is left behind the last whole record is padding. */
static void read_records(struct reader *reader, struct part *part,
			 const struct reader_template *template)
{
	while (part->left >= template->bytes) {
		struct record record = { 0 };

		for (size_t i = 0; i < template->fields; i++) {
			const struct reader_field *field = &template->field[i];

			if (field->enterprise == ENTERPRISE)
				read_own(&record, field, part->at);
			else if (!field->enterprise)
				read_known(&record, field, part->at);
			part->at += field->bytes;
			part->left -= field->bytes;
		}
		reader->records++;
		act(reader, &record);
	}
}

static int read_set(struct reader *reader, uint32_t id, struct part *body, struct fault *fault)
{
	const struct reader_template *template;

	if (id == SET_TEMPLATES || id == SET_OPTIONS)
		return read_templates(reader, body, id == SET_OPTIONS, fault);
	template = find(reader, id);
	if (!template)
		return fault_set(fault, -EBADMSG, NULL, FIX, "a set of %u without its template",
				 id);
	read_records(reader, body, template);
	return 0;
}

static int read_sets(struct reader *reader, struct part part, struct fault *fault)
{
	int error = 0;

	while (!error && part.left) {
		struct part body;
		uint32_t id, bytes;

		if (part.left < MESSAGE_SET_BYTES)
			return fault_set(fault, -EBADMSG, NULL, FIX, "half a set");
		id = take(&part, 2);
		bytes = take(&part, 2);
		if (bytes < MESSAGE_SET_BYTES || bytes - MESSAGE_SET_BYTES > part.left)
			return fault_set(fault, -EBADMSG, NULL, FIX, "a set of %u bytes", bytes);
		body = (struct part){ part.at, bytes - MESSAGE_SET_BYTES };
		part.at += body.left;
		part.left -= body.left;
		error = read_set(reader, id, &body, fault);
	}
	return error;
}

int order_read(struct reader *reader, const uint8_t *bytes, size_t length, struct fault *fault)
{
	struct part part = { bytes + ORDER_HEADER_BYTES, length - ORDER_HEADER_BYTES };

	if (!order_is_sealed(&reader->seal, bytes, length))
		return fault_set(fault, -EACCES, NULL, FIX, "a message without the right tag");
	if (be_load(bytes + 8, 4) != reader->records)
		return fault_set(fault, -EBADMSG, NULL, FIX, "sequence number %u instead of %u",
				 (unsigned int)be_load(bytes + 8, 4), reader->records);
	reader->seal.number++;
	return read_sets(reader, part, fault);
}
