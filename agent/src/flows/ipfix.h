// SPDX-License-Identifier: Apache-2.0
/*
 * Flow records as IPFIX messages (RFC 7011), information elements of RFC 5102. A biflow is one
 * record with reverse elements (RFC 5103) or two records, one for each way.
 */
#ifndef GM_FLOWS_IPFIX_H
#define GM_FLOWS_IPFIX_H

#include "flows/message.h"
#include "flows/table.h"

#include <stdbool.h>
#include <stdint.h>

struct ipfix {
	bool biflows;
	uint32_t domain; /* observation domain */
	uint64_t realtime_ns; /* to be added to the monotonic clock */
	uint32_t records; /* data records of all messages before this one: its sequence number */

	struct message message;
	uint32_t inside; /* its records */
};

/* Begins a message; with the templates, which a collector needs before it can read a record. */
void ipfix_begin(struct ipfix *ipfix, bool with_templates);

/* Adds a record. False: it does not fit, and the message has to go first. */
bool ipfix_add(struct ipfix *ipfix, const struct flow_record *record);

/* Ends the message: it may go, at this time of day. */
void ipfix_end(struct ipfix *ipfix, uint32_t now_s);

#endif
