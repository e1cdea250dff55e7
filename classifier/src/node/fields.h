// SPDX-License-Identifier: Apache-2.0
/* The elements of orders and the templates that we write. */
#ifndef GM_NODE_FIELDS_H
#define GM_NODE_FIELDS_H

#include "node/order.h"

#define SET_TEMPLATES 2
#define SET_OPTIONS 3
#define SET_RECORDS 256 /* lowest id of a set of records */
#define ENTERPRISE                                                                                 \
	32473u /* kept for documentation and examples (RFC 5612): we have none of our own */
#define LENGTH_VARIES 0xffff

enum element {
	ELEMENT_PROTOCOL = 4,
	ELEMENT_SOURCE_PORT = 7,
	ELEMENT_SOURCE_IPV4 = 8,
	ELEMENT_DESTINATION_PORT = 11,
	ELEMENT_DESTINATION_IPV4 = 12,
	ELEMENT_SOURCE_IPV6 = 27,
	ELEMENT_DESTINATION_IPV6 = 28,
};

enum own_element {
	OWN_ACTION = 1,
	OWN_TTL,
	OWN_CLASS,
	OWN_CONFIDENCE,
	OWN_MODEL,
	OWN_NAME,
	OWN_TAG,
};

enum order_template_id { TEMPLATE_IPV4 = 256, TEMPLATE_IPV6, TEMPLATE_NAME, TEMPLATE_TAG };

#define ORDER_REST_BYTES 14 /* of a record without its addresses */
#define ORDER_FIELDS_MOST 10
#define ORDER_TEMPLATES 4

struct order_template {
	uint16_t id, fields, scopes;
	struct reader_field field[ORDER_FIELDS_MOST];
};

extern const struct order_template order_templates[ORDER_TEMPLATES];

#endif
