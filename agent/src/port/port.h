// SPDX-License-Identifier: Apache-2.0
/*
 * How the agent reaches the wire: one struct of functions, after ixy's ixy_device. A port sends or
 * receives; what it cannot is NULL. Nothing is allocated after open().
 */
#ifndef GM_PORT_H
#define GM_PORT_H

#include "lib/fault.h"
#include "lib/frame.h"
#include "lib/parse.h"
#include "lib/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORT_BURST_MAX 256
#define PORT_RETIRE_MS 10 /* the longest that a received packet may stay unseen in a port */

/* What became of packets handed to send(). Indices of errors[] are port_errors[]'s. */
#define PORT_ERRORS 8
extern const struct port_error {
	int number;
	const char *name;
} port_errors[PORT_ERRORS];

struct port_tally {
	uint64_t sent;
	uint64_t refused; /* the port did not take it; the sum of errors */
	uint64_t calls; /* system calls */
	uint64_t errors[PORT_ERRORS];
};

/* Lengths and ranges were checked by the verb; texts and lists outlive the port. */
struct port_options {
	const char *device;
	int family;
	const char *source, *destination; /* send */
	const char *next_mac; /* send, raw */
	struct integers source_ports; /* send: one, or one for each flow */
	struct integers
		destination_ports; /* send: as above; receive: all to listen on, none: every */
	uint32_t frame_most; /* send: the largest frame_bytes */
	unsigned int burst; /* send: the most packets of one send() */
	bool paced; /* send: there is a schedule to keep, so do not let a slow receiver block */
	size_t ring_bytes; /* receive: room for packets that wait */
};

struct port {
	const struct port_kind *kind;
	void *state;
	int fd; /* becomes readable when there is something to receive */
	uint64_t dropped; /* lost by the port itself; valid after settle() */
};

struct port_kind {
	const char *name;

	int (*open)(struct port *port, const struct port_options *options, struct fault *fault);

	/*
	 * Sends count packets. Returns how many are dealt with (sent or refused, see tally): fewer
	 * than count, even 0, if the caller should look up and call again with the rest.
	 */
	unsigned int (*send)(struct port *port, const struct packet *packets, unsigned int count,
			     struct port_tally *tally);

	/* Takes up to count arrivals of those that wait; never blocks. */
	unsigned int (*receive)(struct port *port, struct arrival *arrivals, unsigned int count);

	/* Reads port->dropped. */
	void (*settle)(struct port *port);

	/* Also after a failed open(). */
	void (*close)(struct port *port);
};

extern const struct port_kind port_raw; /* sends: AF_PACKET, sendmmsg, qdisc bypass */
extern const struct port_kind port_ring; /* receives: AF_PACKET, TPACKET_V3 */
extern const struct port_kind port_udp_send; /* sends: plain UDP sockets */
extern const struct port_kind port_udp_sink; /* receives: plain UDP sockets */

/* Counts a refused packet under its errno (negative). */
void port_refuse(struct port_tally *tally, int error);

#endif
