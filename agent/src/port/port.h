// SPDX-License-Identifier: Apache-2.0
/*
 * How the agent reaches the wire: one struct of functions, after ixy's ixy_device. A port sends or
 * receives; what it cannot do is NULL. Nothing is allocated after open().
 */
#ifndef GM_PORT_H
#define GM_PORT_H

#include "count/histogram.h"
#include "count/spans.h"
#include "frame/frame.h"
#include "frame/parse.h"
#include "sandbox/sandbox.h"
#include "talk/fault.h"
#include "talk/line.h"
#include "talk/request.h"
#include "time/pace.h"
#include "time/turn.h"

#include <errno.h>
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
	unsigned int source_count, destination_count; /* send: addresses that the flows step over */
	const char *next_mac; /* send, where the port makes whole frames */
	struct integers source_ports; /* send: one, or one for each flow */
	/* Send: as above; receive: all to listen on, none: every. */
	struct integers destination_ports;
	struct integers frame_bytes; /* send: cycled packet by packet */
	uint32_t frame_most; /* send: the largest of frame_bytes */
	uint32_t flows; /* send */
	uint64_t seed; /* send: of the flows' order (bpf/order.h); 0: round robin */
	uint8_t run; /* send */
	uint8_t mark; /* send: DSCP */
	const struct siphash_key *key; /* headers are tagged by it; NULL: they are not */
	unsigned int burst; /* send: the most packets of one send() */
	bool paced; /* send: there is a schedule to keep, so do not let a slow receiver block */
	bool takes_turns; /* send: with others of this machine */
	bool lo_is_silent; /* send: nothing goes over lo in this namespace */
	size_t ring_bytes; /* receive: room for packets that wait */
};

/* When packets are to go; pace's times count from the first. */
struct port_schedule {
	struct pace pace;
	uint64_t bound; /* packets to try at most */
	uint64_t pause_ns; /* a packet that is later than this ends a pause */
	uint64_t lasts_ns; /* no packet is begun this long after the first due time */
	struct turn turn;
};

/* How far sending has come. */
struct port_progress {
	uint64_t tried;
	uint64_t bytes; /* of frames that were tried, with FCS */
	uint64_t t0_ns; /* the first due time */
	uint64_t due_ns; /* when the next packet is due */
	uint64_t ended_ns; /* when the last packet went; in the end, when sending ended */
	uint64_t gaps_over_1ms;
	struct port_tally tally;
	struct spans pauses; /* in which a packet should have gone, and nothing went */
	struct histogram late; /* send time against due time, where there is a schedule */
};

struct port {
	const struct port_kind *kind;
	const char *mode; /* after open(): which of its ways a port has taken; NULL: it has one */
	void *state;
	int fd; /* becomes readable when there is something to receive */
	/* Valid after settle(). */
	uint64_t dropped; /* lost by the port itself */
	uint64_t stepped_ns; /* by how much the clock of its stamps was set meanwhile */
};

struct port_kind {
	const char *name;
	bool makes_frames; /* send: whole ones, so it needs next_mac and may step over addresses */

	/* send: packets a call by default: 1, or burst from so many packets/s on. */
	unsigned int burst;
	double burst_from_pps;

	unsigned int needs; /* to send, besides open sockets: bits of enum sandbox_need */

	int (*open)(struct port *port, const struct port_options *options, struct fault *fault);

	/*
	 * Sends count packets. Returns how many are dealt with (sent or refused, see tally): fewer
	 * than count, even 0, if the caller should look up and call again with the rest.
	 */
	unsigned int (*send)(struct port *port, const struct packet *packets, unsigned int count,
			     struct port_tally *tally);

	/*
	 * Instead of send(): the port keeps the schedule itself, from begin() on. advance() comes
	 * back at until_ns or when all is sent, with progress up to date but for what account()
	 * then reads: the lateness, the pauses, and of the tally all but what was refused. 1: it goes on; 0: it has ended; or -errno with
	 * the fault filled. end() stops it, however it went; account() is final then.
	 *
	 * A port with send() has an end() where it holds packets back: what does not leave soon
	 * is no longer counted as sent.
	 */
	int (*begin)(struct port *port, const struct port_schedule *schedule, struct fault *fault);
	int (*advance)(struct port *port, uint64_t until_ns, struct port_progress *progress,
		       struct fault *fault);
	void (*end)(struct port *port, struct port_progress *progress);
	void (*account)(struct port *port, struct port_progress *progress);

	/* Takes up to count arrivals of those that wait; never blocks. */
	unsigned int (*receive)(struct port *port, struct arrival *arrivals, unsigned int count);

	/* Reads port->dropped and port->stepped_ns. */
	void (*settle)(struct port *port);

	/* Also after a failed open(). */
	void (*close)(struct port *port);
};

extern const struct port_kind port_live; /* sends: frames made by a BPF program */
extern const struct port_kind port_afxdp; /* sends: AF_XDP */
extern const struct port_kind port_raw; /* sends: AF_PACKET, sendmmsg, qdisc bypass */
extern const struct port_kind port_ring; /* receives: AF_PACKET, TPACKET_V3 */
extern const struct port_kind port_udp_send; /* sends: plain UDP sockets */
extern const struct port_kind port_udp_sink; /* receives: plain UDP sockets */

/*
 * What open() returns when the kernel refuses: its EINVAL is no fault of the request, and another
 * port may work.
 */
static inline int port_unfit(int error)
{
	return error == -EINVAL ? -ENOTSUP : error;
}

/* Counts refused packets by their errno (negative). */
void port_refuse(struct port_tally *tally, int error, uint64_t count);

/* "errors": {"ENOBUFS": n}, those that occurred. */
void port_report_errors(struct line *line, const struct port_tally *tally);

#endif
