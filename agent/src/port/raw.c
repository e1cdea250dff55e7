// SPDX-License-Identifier: Apache-2.0
/*
 * The raw port: whole frames through AF_PACKET, one wire packet in one skb, past the qdisc.
 *
 * On a bare veth sendmmsg() with PACKET_QDISC_BYPASS outran a PACKET_TX_RING, 0.65-0.70 M packets/s
 * against 0.51-0.57 M (docs/measured.md).
 */
#include "lib/address.h"
#include "lib/device.h"
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

static int find_route(struct route *route, const struct port_options *options,
		      const struct device *device, struct fault *fault)
{
	int error;

	route->family = options->family;
	for (int i = 0; i < 6; i++)
		route->source_mac[i] = device->mac[i];
	error = mac_parse(options->next_mac, route->next_mac, "dst_mac", fault);
	if (error)
		return error;
	error = address_parse(route->family, options->source, route->source, "src", fault);
	if (error)
		return error;
	return address_parse(route->family, options->destination, route->destination, "dst", fault);
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
	struct route route = { 0 };
	struct device device;
	int error;

	port->state = raw;
	if (!raw)
		return fault_system(fault, -ENOMEM, NULL, "the raw port");
	raw->fd = -1;
	raw->burst = options->burst;
	error = device_find(&device, options->device, 1, "device", fault);
	if (error)
		return error;
	error = device_carries(&device, options->frame_most, "frame_bytes", fault);
	if (error)
		return error;
	error = find_route(&route, options, &device, fault);
	if (error)
		return error;
	error = build_frames(raw, &route, fault);
	if (error)
		return error;
	raw->fd = socket_open_raw(device.index, options->paced, fault);
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
	.open = raw_open,
	.send = raw_send,
	.close = raw_close,
};
