// SPDX-License-Identifier: Apache-2.0
/*
 * The raw port: whole frames through AF_PACKET, one wire packet in one skb, past the qdisc.
 *
 * On a bare veth sendmmsg() with PACKET_QDISC_BYPASS sent 0.65-0.70 M packets/s and a
 * PACKET_TX_RING 0.51-0.57 M (docs/decisions.md).
 */
#include "port/hop.h"
#include "port/port.h"
#include "port/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

struct raw {
	int fd;
	unsigned int burst;
	struct frame frame;
	uint8_t *buffers; /* one for each packet of a burst, FRAME_MAX apart */
	struct mmsghdr message[PORT_BURST_MAX];
	struct iovec vector[PORT_BURST_MAX];
};

/* Frames are padded apart so that a burst's headers do not fall into the same cache sets. */
#define BUFFER_BYTES (FRAME_MAX + 118)

static uint8_t *buffer_of(const struct raw *raw, unsigned int i)
{
	return raw->buffers + (size_t)i * BUFFER_BYTES;
}

static int build_frames(struct raw *raw, const struct route *route, struct fault *fault)
{
	raw->buffers = calloc(raw->burst, BUFFER_BYTES);
	if (!raw->buffers)
		return fault_system(fault, -ENOMEM, "burst", "frames of a burst");
	for (unsigned int i = 0; i < raw->burst; i++) {
		frame_build(&raw->frame, route, buffer_of(raw, i));
		raw->vector[i].iov_base = buffer_of(raw, i);
		raw->message[i].msg_hdr.msg_iov = &raw->vector[i];
		raw->message[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

static int raw_open(struct port *port, const struct port_options *options, struct fault *fault)
{
	struct raw *raw = calloc(1, sizeof(*raw));
	struct hop hop;
	int error;

	port->state = raw;
	if (!raw)
		return fault_system(fault, -ENOMEM, NULL, "the raw port");
	raw->fd = -1;
	raw->burst = options->burst;
	error = hop_find(&hop, options, fault);
	if (!error)
		error = build_frames(raw, &hop.route, fault);
	if (error)
		return error;
	raw->fd = socket_open_raw(hop.device.index, options->paced, fault);
	return raw->fd < 0 ? raw->fd : 0;
}

static unsigned int raw_send(struct port *port, const struct packet *packets, unsigned int count,
			     struct port_tally *tally)
{
	struct raw *raw = port->state;

	for (unsigned int i = 0; i < count; i++) {
		frame_fill(&raw->frame, &packets[i], buffer_of(raw, i));
		raw->vector[i].iov_len = packets[i].frame_bytes - FCS_BYTES;
	}
	return socket_send(raw->fd, raw->message, count, tally);
}

static void raw_close(struct port *port)
{
	struct raw *raw = port->state;

	if (!raw)
		return;
	if (raw->fd >= 0)
		close(raw->fd);
	free(raw->buffers);
	free(raw);
	port->state = NULL;
}

const struct port_kind port_raw = {
	.name = "raw",
	.makes_frames = true,
	.burst = 32,
	.burst_from_pps = 500000,
	.open = raw_open,
	.send = raw_send,
	.close = raw_close,
};
