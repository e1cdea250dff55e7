// SPDX-License-Identifier: Apache-2.0
/* Templates: what is in a record, in its order. */
#include "node/fields.h"

#define OWN(element, bytes) { ENTERPRISE, element, bytes }
#define REST                                                                                       \
	{ 0, ELEMENT_SOURCE_PORT, 2 }, { 0, ELEMENT_DESTINATION_PORT, 2 },                         \
		{ 0, ELEMENT_PROTOCOL, 1 }, OWN(OWN_ACTION, 1), OWN(OWN_TTL, 2),                   \
		OWN(OWN_CLASS, 1), OWN(OWN_CONFIDENCE, 1), OWN(OWN_MODEL, 4)

const struct order_template order_templates[ORDER_TEMPLATES] = {
	{ TEMPLATE_IPV4,
	  10,
	  0,
	  { { 0, ELEMENT_SOURCE_IPV4, 4 }, { 0, ELEMENT_DESTINATION_IPV4, 4 }, REST } },
	{ TEMPLATE_IPV6,
	  10,
	  0,
	  { { 0, ELEMENT_SOURCE_IPV6, 16 }, { 0, ELEMENT_DESTINATION_IPV6, 16 }, REST } },
	{ TEMPLATE_TAG, 1, 0, { OWN(OWN_TAG, ORDER_TAG_BYTES) } },
	{ TEMPLATE_NAME, 2, 1, { OWN(OWN_CLASS, 1), OWN(OWN_NAME, ORDER_NAME_MOST) } },
};
