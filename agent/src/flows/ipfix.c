// SPDX-License-Identifier: Apache-2.0
/* Templates and records are made of one list of fields, so that they cannot part. */
#include "flows/ipfix.h"
#include "frame/bytes.h"
#include "time/clock.h"

#define PROTOCOL_ICMP 1
#define PROTOCOL_ICMPV6 58

#define TEMPLATE_SET 2
#define REVERSE 29305u /* the enterprise number of reverse elements (RFC 5103) */
#define TEMPLATE_IPV4 256
#define TEMPLATE_IPV6 257

enum element {
	OCTETS = 1,
	PACKETS = 2,
	PROTOCOL = 4,
	SERVICE = 5,
	TCP_FLAGS = 6,
	SOURCE_PORT = 7,
	SOURCE_IPV4 = 8,
	DESTINATION_PORT = 11,
	DESTINATION_IPV4 = 12,
	SOURCE_IPV6 = 27,
	DESTINATION_IPV6 = 28,
	ICMP_IPV4 = 32, /* type and code; 0 of other protocols */
	END_REASON = 136,
	ICMP_IPV6 = 139,
	START_MS = 152,
	END_MS = 153,
};

struct field {
	enum element element;
	uint16_t bytes;
	bool reverse; /* of the way back */
};

static const struct field ipv4_fields[] = { { SOURCE_IPV4, 4, false },
					    { DESTINATION_IPV4, 4, false } };
static const struct field ipv6_fields[] = { { SOURCE_IPV6, 16, false },
					    { DESTINATION_IPV6, 16, false } };
static const struct field common_fields[] = {
	{ SOURCE_PORT, 2, false }, { DESTINATION_PORT, 2, false }, { PROTOCOL, 1, false },
	{ SERVICE, 1, false },	   { TCP_FLAGS, 1, false },	   { END_REASON, 1, false },
	{ START_MS, 8, false },	   { END_MS, 8, false },	   { PACKETS, 8, false },
	{ OCTETS, 8, false },	   { ICMP_IPV4, 2, false },	   { PACKETS, 8, true },
	{ OCTETS, 8, true },	   { TCP_FLAGS, 1, true },
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define ADDRESSES 2

/* The fields of a template in turn: first the addresses. NULL behind the last. */
static const struct field *field_of(const struct ipfix *ipfix, bool is_ipv6, size_t place)
{
	const struct field *field;

	if (place < ADDRESSES)
		return is_ipv6 ? &ipv6_fields[place] : &ipv4_fields[place];
	if (place - ADDRESSES >= COUNT(common_fields))
		return NULL;
	field = &common_fields[place - ADDRESSES];
	return field->reverse && !ipfix->biflows ? NULL : field;
}

/* IPv6 has an element of its own for ICMP. */
static uint16_t element_of(const struct field *field, bool is_ipv6)
{
	return field->element == ICMP_IPV4 && is_ipv6 ? ICMP_IPV6 : (uint16_t)field->element;
}

static void put_template(struct ipfix *ipfix, bool is_ipv6)
{
	struct message *message = &ipfix->message;
	const struct field *field;
	size_t count = 0;

	while (field_of(ipfix, is_ipv6, count))
		count++;
	message_put(message, is_ipv6 ? TEMPLATE_IPV6 : TEMPLATE_IPV4, 2);
	message_put(message, count, 2);
	for (size_t i = 0; (field = field_of(ipfix, is_ipv6, i)); i++) {
		uint16_t bit = field->reverse ? MESSAGE_ENTERPRISE : 0;

		message_put(message, element_of(field, is_ipv6) | bit, 2);
		message_put(message, field->bytes, 2);
		if (field->reverse)
			message_put(message, REVERSE, 4);
	}
}

void ipfix_begin(struct ipfix *ipfix, bool with_templates)
{
	message_begin(&ipfix->message);
	ipfix->inside = 0;
	if (!with_templates)
		return;
	message_open(&ipfix->message, TEMPLATE_SET);
	put_template(ipfix, false);
	put_template(ipfix, true);
	message_close(&ipfix->message);
}

void ipfix_end(struct ipfix *ipfix, uint32_t now_s)
{
	const struct message_head head = {
		.now_s = now_s,
		.sequence = ipfix->records,
		.domain = ipfix->domain,
	};

	message_end(&ipfix->message, &head);
	ipfix->records += ipfix->inside;
}

/* A record from the end that a way begins at. */
struct view {
	const struct flow_record *record;
	enum flow_way way;
};

static uint64_t milliseconds(const struct ipfix *ipfix, uint64_t time_ns)
{
	return (time_ns + ipfix->realtime_ns) / NS_PER_MS;
}

static void put_end(struct ipfix *ipfix, const struct view *view, const struct field *field)
{
	const struct flow_record *record = view->record;
	bool from_low = view->way == FLOW_UP;

	switch (field->element) {
	case SOURCE_IPV4:
	case SOURCE_IPV6:
		message_put_bytes(&ipfix->message, from_low ? record->low : record->high,
				  field->bytes);
		break;
	case DESTINATION_IPV4:
	case DESTINATION_IPV6:
		message_put_bytes(&ipfix->message, from_low ? record->high : record->low,
				  field->bytes);
		break;
	case SOURCE_PORT:
		message_put_bytes(&ipfix->message,
				  from_low ? &record->low_port : &record->high_port, 2);
		break;
	default:
		message_put_bytes(&ipfix->message,
				  from_low ? &record->high_port : &record->low_port, 2);
	}
}

/* The program in the kernel keeps ICMP's type and code as the destination's port. */
static uint64_t icmp_of(const struct view *view)
{
	const struct flow_record *record = view->record;
	const uint16_t *port = view->way == FLOW_UP ? &record->high_port : &record->low_port;

	if (record->protocol != (record->is_ipv6 ? PROTOCOL_ICMPV6 : PROTOCOL_ICMP))
		return 0;
	return be16_load((const uint8_t *)port);
}

static uint64_t value_of(const struct ipfix *ipfix, const struct view *view,
			 const struct field *field)
{
	const struct flow *flow = &view->record->flow;
	unsigned int way = field->reverse ? !view->way : view->way;

	switch (field->element) {
	case PROTOCOL:
		return view->record->protocol;
	case SERVICE:
		return flow->service;
	case TCP_FLAGS:
		return flow->tcp_flags[way];
	case END_REASON:
		return view->record->end;
	case ICMP_IPV4:
		return icmp_of(view);
	case START_MS:
		return milliseconds(ipfix,
				    ipfix->biflows ? flow_first_ns(flow) : flow->first_ns[way]);
	case END_MS:
		return milliseconds(ipfix,
				    ipfix->biflows ? flow_last_ns(flow) : flow->last_ns[way]);
	case PACKETS:
		return flow->packets[way];
	default:
		return flow->bytes[way];
	}
}

static bool is_end(enum element element)
{
	return element == SOURCE_IPV4 || element == DESTINATION_IPV4 || element == SOURCE_IPV6 ||
	       element == DESTINATION_IPV6 || element == SOURCE_PORT || element == DESTINATION_PORT;
}

static void put_record(struct ipfix *ipfix, const struct view *view)
{
	const struct field *field;

	for (size_t i = 0; (field = field_of(ipfix, view->record->is_ipv6, i)); i++) {
		if (is_end(field->element))
			put_end(ipfix, view, field);
		else
			message_put(&ipfix->message, value_of(ipfix, view, field), field->bytes);
	}
	ipfix->inside++;
}

static size_t record_bytes(const struct ipfix *ipfix, bool is_ipv6)
{
	const struct field *field;
	size_t bytes = 0;

	for (size_t i = 0; (field = field_of(ipfix, is_ipv6, i)); i++)
		bytes += field->bytes;
	return bytes;
}

bool ipfix_add(struct ipfix *ipfix, const struct flow_record *record)
{
	uint16_t template = record->is_ipv6 ? TEMPLATE_IPV6 : TEMPLATE_IPV4;
	enum flow_way first = record->flow.first_way ? FLOW_DOWN : FLOW_UP;
	struct view ahead = { record, first }, back = { record, first ? FLOW_UP : FLOW_DOWN };
	size_t each = record_bytes(ipfix, record->is_ipv6);

	if (ipfix->message.used + MESSAGE_SET_BYTES + 2 * each > MESSAGE_MOST)
		return false;
	message_open(&ipfix->message, template);
	if (ipfix->biflows || record->flow.packets[ahead.way])
		put_record(ipfix, &ahead);
	if (!ipfix->biflows && record->flow.packets[back.way])
		put_record(ipfix, &back);
	return true;
}
