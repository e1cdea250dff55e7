// SPDX-License-Identifier: Apache-2.0
/*
 * A capture as a schedule of two directions. Both ends of a replay read the same file with the same
 * options and so derive the same flows, numbers and due times by themselves.
 *
 * Up is from the LAN side. A packet's number counts those of its direction in order of their due
 * times, from 0. Each of the trace's flows is there `clones` times: clone c of LAN host h has the
 * client address number (h + c * hosts) modulo `clients`, the flow's own ports unless another flow
 * of that client has them, and is `stagger_ns` behind clone c - 1. All far ends are one address.
 */
#ifndef GM_TRACE_H
#define GM_TRACE_H

#include "frame/mark.h"
#include "replay/left.h"
#include "replay/split.h"
#include "replay/wires.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_PACKETS_MAX (1u << 24) /* of both directions together, clones included */

enum way { WAY_UP, WAY_DOWN, WAYS };

struct trace_options {
	int family;
	struct split split;
	bool ways[WAYS]; /* which are replayed */
	uint32_t clones, clients;
	uint64_t stagger_ns;
	uint32_t packet_most; /* bytes of an IP packet */
	double speed; /* of the trace's own timing */
	double rate_pps; /* of both directions together; 0: the trace's timing */
	uint64_t duration_ns; /* what is due later is left out */
	uint8_t mark; /* DSCP of all packets; 0: each its own, as it was captured */
};

/* A packet as it is replayed. */
struct trace_entry {
	uint64_t due_ns; /* from the replay's beginning */
	uint32_t flow;
	uint32_t packet; /* of the capture: index into .packet */
	uint32_t bytes; /* of the IP packet */
};

/*
 * A packet as it was on the wire: one that was captured, or a piece of one that the capturing
 * machine had merged (replay/cut.h). Its headers are those of what was captured.
 */
struct trace_packet {
	uint64_t time_ns;
	const uint8_t *ip;
	uint32_t captured; /* bytes at .ip, of the whole that was captured */
	uint32_t bytes; /* of this packet */
	uint32_t from; /* of the whole's payload, where this packet's begins */
	uint32_t wire_bytes; /* of the whole; 0 of all pieces but the first */
	uint32_t flow; /* of the capture */
	uint16_t header_bytes, payload_at; /* bytes of IP's headers; of all headers */
	uint8_t protocol;
	bool up, timed, last; /* last: piece of its whole */
};

struct trace {
	struct trace_options options;
	struct wire *flow; /* clone c of the capture's flow f at f * clones + c */
	uint32_t flows;
	uint32_t hosts; /* LAN addresses of the capture */
	struct trace_packet *packet; /* ip lies inside the capture's memory */
	uint32_t packets;
	struct trace_entry *entry[WAYS]; /* by number */
	uint32_t entries[WAYS];
	uint64_t length_ns; /* of the replay */
	struct left left; /* packets of the capture that are left out */
	uint64_t cut; /* packets of the capture that were merged, and are cut again */
	uint64_t padded; /* of those replayed: cut short in the capture, filled up with zeros */
	uint64_t over; /* due after duration_ns */
	/* Of the capture, without clones: due after duration_ns, and of a way that is not asked for. */
	uint64_t late, late_bytes, unasked, unasked_bytes;
};

/*
 * 0, or -errno with the fault filled; trace_close() in either case. The capture is read to its end.
 */
int trace_open(struct trace *trace, const struct trace_options *options, struct capture *capture,
	       struct fault *fault);
void trace_close(struct trace *trace);

/* The DSCP that a packet is sent with. */
static inline uint8_t trace_mark(const struct trace *trace, const struct trace_entry *entry)
{
	return trace->options.mark ? trace->options.mark
				   : mark_read(trace->packet[entry->packet].ip);
}

#endif
