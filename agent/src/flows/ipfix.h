// SPDX-License-Identifier: Apache-2.0
/*
 * Flow records as IPFIX messages (RFC 7011), information elements of RFC 5102. A biflow is one
 * record with reverse elements (RFC 5103) or two records, one for each way.
 */
#ifndef GM_FLOWS_IPFIX_H
#define GM_FLOWS_IPFIX_H

#include "flows/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IPFIX_MOST 1400 /* of a message: it fits into one packet of most paths */

struct ipfix {
	bool biflows;
	uint32_t domain; /* observation domain */
	uint64_t realtime_ns; /* to be added to the monotonic clock */
	uint32_t records; /* data records of all messages before this one: its sequence number */

	uint8_t message[IPFIX_MOST];
	size_t used, set; /* bytes of the message; where its open set begins, 0: none */
	uint16_t set_id;
	uint32_t inside; /* records of this message */
};

/* Begins a message; with the templates, which a collector needs before it can read a record. */
void ipfix_begin(struct ipfix *ipfix, bool with_templates);

/* Adds a record. False: it does not fit, and the message has to go first. */
bool ipfix_add(struct ipfix *ipfix, const struct flow_record *record);

/* Ends the message: its `used` bytes may go, at this time of day. */
void ipfix_end(struct ipfix *ipfix, uint32_t now_s);

#endif
