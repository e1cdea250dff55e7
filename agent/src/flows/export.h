// SPDX-License-Identifier: Apache-2.0
/*
 * The way of flow records to a collector: IPFIX over UDP or TCP (RFC 7011, section 10). A
 * collector that is away costs records, which are counted, and nothing else; TCP tries again.
 */
#ifndef GM_FLOWS_EXPORT_H
#define GM_FLOWS_EXPORT_H

#include "flows/ipfix.h"
#include "talk/fault.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

struct flow_export {
	struct ipfix ipfix;
	struct sockaddr_storage to;
	socklen_t to_bytes;
	bool is_tcp;
	int fd; /* -1: not connected */
	uint64_t again_ns; /* when a connection is tried next */
	uint64_t templates_ns; /* when the templates went last */
	uint64_t waits_ns, waited_ns; /* since when its waits are counted, and what they took */
	uint64_t sent, lost; /* records */
};

/* Where to: an address and a port. 0 or -errno with the fault of key "collector" filled. */
int flow_export_open(struct flow_export *export, const char *address, uint16_t port,
		     struct fault *fault);

/* Adds a record; a full message goes. */
void flow_export_put(struct flow_export *export, const struct flow_record *record);

/* Sends what there is. */
void flow_export_flush(struct flow_export *export);

void flow_export_close(struct flow_export *export);

#endif
