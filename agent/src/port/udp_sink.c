// SPDX-License-Identifier: Apache-2.0
/*
 * The udp port, receiving: one plain socket for each port, several behind one epoll descriptor. The
 * kernel drops what has a wrong checksum before it comes here.
 */
#include "frame/address.h"
#include "frame/mark.h"
#include "kernel/device.h"
#include "port/control.h"
#include "port/port.h"
#include "port/socket.h"
#include "time/clock.h"
#include "time/step.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BURST 64
#define PAYLOAD_MAX (FRAME_MAX - FCS_BYTES - ETHERNET_BYTES - IPV4_BYTES - UDP_BYTES)
#define CONTROL_BYTES (CMSG_SPACE(2 * sizeof(struct timespec)) + CMSG_SPACE(sizeof(int)))

struct udp_sink {
	int family;
	int epoll;
	int *fd;
	size_t count;
	const struct siphash_key *key;
	uint64_t offset_ns; /* from CLOCK_REALTIME to CLOCK_MONOTONIC */
	struct step step; /* of CLOCK_REALTIME, since udp_open() */
	struct mmsghdr message[BURST];
	struct iovec vector[BURST];
	struct sockaddr_storage from[BURST];
	uint64_t control[BURST][(CONTROL_BYTES + 7) / 8]; /* aligned as a cmsghdr has to be */
	uint8_t payload[BURST][PAYLOAD_MAX];
};

static int listen_one(int fd, const struct udp_sink *udp, const struct port_options *options,
		      uint16_t port)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	int yes = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, options->device,
		       (socklen_t)strlen(options->device)) < 0)
		return -errno;
	socket_size_receive(fd, options->ring_bytes);
	/* Where stamps are refused (qemu-user), arrivals are stamped here, a batch at a time. */
	setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof(yes));
	if (udp->family == 4)
		setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &yes, sizeof(yes));
	else
		setsockopt(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &yes, sizeof(yes));
	if (epoll_ctl(udp->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		return -errno;
	return socket_bind_udp(fd, udp->family, NULL, port);
}

static int open_sockets(struct udp_sink *udp, const struct port_options *options,
			struct fault *fault)
{
	const struct integers *ports = &options->destination_ports;
	int error = socket_allow(ports->count + 64);

	if (error)
		return fault_system(fault, error, "dst_port", "a socket for each port");
	udp->fd = calloc(ports->count, sizeof(*udp->fd));
	if (!udp->fd)
		return fault_system(fault, -ENOMEM, "dst_port", "a socket for each port");
	for (size_t i = 0; i < ports->count; i++) {
		int fd = socket_open_udp(udp->family, SOCK_NONBLOCK);

		if (fd < 0)
			return fault_system(fault, fd, "dst_port", "a socket for each port");
		udp->fd[udp->count++] = fd;
		error = listen_one(fd, udp, options, (uint16_t)ports->item[i]);
		if (error)
			return fault_system(fault, error, "dst_port", "listening on a port");
	}
	return 0;
}

static int udp_open(struct port *port, const struct port_options *options, struct fault *fault)
{
	struct udp_sink *udp = calloc(1, sizeof(*udp));
	struct device device;
	int error;

	port->state = udp;
	if (!udp)
		return fault_system(fault, -ENOMEM, NULL, "the udp port");
	udp->family = options->family;
	udp->key = options->key;
	step_offset(&udp->step);
	udp->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (udp->epoll < 0)
		return fault_system(fault, -errno, NULL, "epoll");
	port->fd = udp->epoll;
	for (unsigned int i = 0; i < BURST; i++) {
		udp->vector[i].iov_base = udp->payload[i];
		udp->vector[i].iov_len = PAYLOAD_MAX;
	}
	error = device_find(&device, options->device, 1, "device", fault);
	if (!error)
		error = open_sockets(udp, options, fault);
	if (udp->count == 1)
		port->fd = udp->fd[0];
	return error;
}

/* recvmmsg() overwrites the lengths, so each call sets them anew. */
static void reset_messages(struct udp_sink *udp, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		udp->message[i].msg_hdr = (struct msghdr){
			.msg_name = &udp->from[i],
			.msg_namelen = sizeof(udp->from[i]),
			.msg_iov = &udp->vector[i],
			.msg_iovlen = 1,
			.msg_control = udp->control[i],
			.msg_controllen = CONTROL_BYTES,
		};
}

static void read_one(const struct udp_sink *udp, const struct cmsghdr *control,
		     struct arrival *arrival)
{
	const uint8_t *data = CMSG_DATA(control);
	uint64_t stamp_ns;

	if (control_is_stamp(control, &stamp_ns)) {
		arrival->time_ns = stamp_ns + udp->offset_ns;
	} else if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_TOS) {
		arrival->mark = mark_of_class(data[0]);
	} else if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_TCLASS) {
		int traffic_class;

		memcpy(&traffic_class, data, sizeof(traffic_class));
		arrival->mark = mark_of_class((unsigned int)traffic_class);
	}
}

/* What the kernel tells of a message besides: its stamp in CLOCK_MONOTONIC, and its mark. */
static void read_control(const struct udp_sink *udp, const struct msghdr *message,
			 struct arrival *arrival)
{
	const struct cmsghdr *control = NULL;

	while ((control = control_next(message, control)))
		read_one(udp, control, arrival);
}

static unsigned int read_socket(struct udp_sink *udp, int fd, struct arrival *arrivals,
				unsigned int count)
{
	uint64_t now;
	int got;

	count = count < BURST ? count : BURST;
	reset_messages(udp, count);
	got = recvmmsg(fd, udp->message, count, 0, NULL);
	if (got <= 0)
		return 0;
	now = clock_now();
	for (int i = 0; i < got; i++) {
		struct mmsghdr *message = &udp->message[i];

		parse_payload(&arrivals[i], udp->payload[i], message->msg_len, udp->family,
			      udp->key);
		arrivals[i].source_port = address_port(&udp->from[i]);
		arrivals[i].time_ns = now;
		read_control(udp, &message->msg_hdr, &arrivals[i]);
	}
	return (unsigned int)got;
}

/* Where one socket stands alone, its own answer tells whether something waits. */
static unsigned int read_alone(struct udp_sink *udp, struct arrival *arrivals, unsigned int count)
{
	unsigned int taken = 0, got;

	do {
		got = read_socket(udp, udp->fd[0], arrivals + taken, count - taken);
		taken += got;
	} while (got == BURST && taken < count);
	return taken;
}

static unsigned int udp_receive(struct port *port, struct arrival *arrivals, unsigned int count)
{
	struct udp_sink *udp = port->state;
	struct epoll_event events[16];
	unsigned int taken = 0;
	int ready;

	udp->offset_ns = step_offset(&udp->step);
	if (udp->count == 1)
		return read_alone(udp, arrivals, count);
	ready = epoll_wait(udp->epoll, events, 16, 0);
	for (int i = 0; i < ready && taken < count; i++)
		taken += read_socket(udp, events[i].data.fd, arrivals + taken, count - taken);
	return taken;
}

static void udp_settle(struct port *port)
{
	struct udp_sink *udp = port->state;

	for (size_t i = 0; i < udp->count; i++) {
		uint32_t memory[SK_MEMINFO_VARS] = { 0 };
		socklen_t length = sizeof(memory);

		/* Since 4.12; before, what the socket dropped stays unknown. */
		getsockopt(udp->fd[i], SOL_SOCKET, SO_MEMINFO, memory, &length);
		port->dropped += memory[SK_MEMINFO_DROPS];
	}
	port->stepped_ns = udp->step.stepped_ns;
}

static void udp_close(struct port *port)
{
	struct udp_sink *udp = port->state;

	if (!udp)
		return;
	for (size_t i = 0; i < udp->count; i++)
		close(udp->fd[i]);
	if (udp->epoll >= 0)
		close(udp->epoll);
	free(udp->fd);
	free(udp);
	port->state = NULL;
}

const struct port_kind port_udp_sink = {
	.name = "udp",
	.open = udp_open,
	.receive = udp_receive,
	.settle = udp_settle,
	.close = udp_close,
};
