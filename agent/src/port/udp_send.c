// SPDX-License-Identifier: Apache-2.0
/*
 * The udp port, sending: plain connected sockets, for hosts without raw sockets, and to
 * measure what a program's own traffic costs. One socket, or one for each flow if the flows
 * differ in their ports.
 */
#include "frame/address.h"
#include "frame/tagged.h"
#include "kernel/device.h"
#include "port/port.h"
#include "port/socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct udp_send {
	int family;
	struct device device;
	uint8_t source[16], destination[16];
	int *fd; /* one, or one for each flow */
	size_t count;
	uint8_t *payloads; /* zeros behind a header, one for each packet of a burst */
	size_t payload_room;
	struct mmsghdr message[PORT_BURST_MAX];
	struct iovec vector[PORT_BURST_MAX];
	bool paced;
	uint8_t mark; /* DSCP */
	const struct siphash_key *key; /* NULL: headers have no tag */
};

/*
 * Only sockets that ask for errors learn of a refused packet: without it udp_send_skb() turns
 * ENOBUFS into success (net/ipv4/udp.c). PROBE sets DF and sends up to the device's MTU, whatever
 * an ICMP message said.
 */
static void set_options(int fd, int family, bool paced, uint8_t mark)
{
	int probe = IP_PMTUDISC_PROBE;
	int traffic_class = mark << 2;
	int yes = 1;

	if (family == 4) {
		setsockopt(fd, IPPROTO_IP, IP_RECVERR, &yes, sizeof(yes));
		setsockopt(fd, IPPROTO_IP, IP_MTU_DISCOVER, &probe, sizeof(probe));
		setsockopt(fd, IPPROTO_IP, IP_TOS, &traffic_class, sizeof(traffic_class));
	} else {
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &yes, sizeof(yes));
		setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe, sizeof(probe));
		setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &traffic_class, sizeof(traffic_class));
	}
	socket_size_send(fd, paced);
}

/* Two flows may have the same source port and differ in where they go: hence REUSEADDR. */
static int connect_one(int fd, const struct udp_send *udp, uint16_t source_port,
		       uint16_t destination_port)
{
	struct sockaddr_storage to;
	socklen_t length = address_fill(&to, udp->family, udp->destination, destination_port);
	int yes = 1;
	int error;

	if (udp->family == 6 && IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)udp->destination))
		((struct sockaddr_in6 *)&to)->sin6_scope_id = (uint32_t)udp->device.index;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, udp->device.name,
		       (socklen_t)strlen(udp->device.name)) < 0)
		return -errno;
	set_options(fd, udp->family, udp->paced, udp->mark);
	error = socket_bind_udp(fd, udp->family, udp->source, source_port);
	if (error)
		return error;
	return connect(fd, (struct sockaddr *)&to, length) < 0 ? -errno : 0;
}

static int open_sockets(struct udp_send *udp, const struct port_options *options,
			struct fault *fault)
{
	const struct integers *from = &options->source_ports;
	const struct integers *to = &options->destination_ports;
	size_t wanted = from->count > to->count ? from->count : to->count;
	int error = socket_allow(wanted + 64);

	if (error)
		return fault_system(fault, error, "flows", "a socket for each flow");
	udp->fd = calloc(wanted, sizeof(*udp->fd));
	if (!udp->fd)
		return fault_system(fault, -ENOMEM, "flows", "a socket for each flow");
	for (size_t i = 0; i < wanted; i++) {
		int fd = socket_open_udp(udp->family, 0);

		if (fd < 0)
			return fault_system(fault, fd, "flows", "a socket for each flow");
		udp->fd[udp->count++] = fd;
		error = connect_one(fd, udp, (uint16_t)from->item[from->count > 1 ? i : 0],
				    (uint16_t)to->item[to->count > 1 ? i : 0]);
		if (error)
			return fault_system(fault, error, "src", "connecting a UDP socket");
	}
	return 0;
}

static int build_payloads(struct udp_send *udp, const struct port_options *options,
			  struct fault *fault)
{
	udp->payload_room = options->frame_most - FCS_BYTES - frame_overhead(udp->family);
	udp->payloads = calloc(options->burst, udp->payload_room);
	if (!udp->payloads)
		return fault_system(fault, -ENOMEM, "burst", "packets of a burst");
	for (unsigned int i = 0; i < options->burst; i++) {
		udp->vector[i].iov_base = udp->payloads + i * udp->payload_room;
		udp->message[i].msg_hdr.msg_iov = &udp->vector[i];
		udp->message[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

static int udp_open(struct port *port, const struct port_options *options, struct fault *fault)
{
	struct udp_send *udp = calloc(1, sizeof(*udp));
	int error;

	port->state = udp;
	if (!udp)
		return fault_system(fault, -ENOMEM, NULL, "the udp port");
	udp->family = options->family;
	udp->paced = options->paced;
	udp->mark = options->mark;
	udp->key = options->key;
	error = device_find(&udp->device, options->device, 1, "device", fault);
	if (!error)
		error = device_carries(&udp->device, options->frame_most, "frame_bytes", fault);
	if (!error)
		error = address_parse(udp->family, options->source, udp->source, "src", fault);
	if (!error)
		error = address_parse(udp->family, options->destination, udp->destination, "dst",
				      fault);
	if (!error)
		error = build_payloads(udp, options, fault);
	return error ? error : open_sockets(udp, options, fault);
}

static void write_header(uint8_t *payload, const struct header *header,
			 const struct siphash_key *key)
{
	if (key)
		tagged_write(payload, header, key);
	else
		header_write(payload, header);
}

static unsigned int udp_send(struct port *port, const struct packet *packets, unsigned int count,
			     struct port_tally *tally)
{
	struct udp_send *udp = port->state;
	unsigned int done = 0;

	for (unsigned int i = 0; i < count; i++) {
		write_header(udp->vector[i].iov_base, &packets[i].header, udp->key);
		udp->vector[i].iov_len =
			packets[i].frame_bytes - FCS_BYTES - frame_overhead(udp->family);
	}
	if (udp->count == 1)
		return socket_send(udp->fd[0], udp->message, count, tally);
	/* Neighbours in a burst are of different flows, so of different sockets. */
	while (done < count) {
		int fd = udp->fd[packets[done].header.flow];

		if (!socket_send(fd, &udp->message[done], 1, tally))
			break;
		done++;
	}
	return done;
}

static void udp_close(struct port *port)
{
	struct udp_send *udp = port->state;

	if (!udp)
		return;
	for (size_t i = 0; i < udp->count; i++)
		close(udp->fd[i]);
	free(udp->fd);
	free(udp->payloads);
	free(udp);
	port->state = NULL;
}

const struct port_kind port_udp_send = {
	.name = "udp",
	.burst = 32,
	.burst_from_pps = 500000,
	.open = udp_open,
	.send = udp_send,
	.close = udp_close,
};
