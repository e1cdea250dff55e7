// SPDX-License-Identifier: Apache-2.0
/* Messages by a socket. */
#include "flows/export.h"
#include "time/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TEMPLATES_EACH_NS (60 * NS_PER_S) /* over UDP: a collector may have been started anew */
#define AGAIN_NS (5 * NS_PER_S)
#define CONNECT_MS 1000
#define WAIT_MOST_NS                                                                               \
	(1 * NS_PER_S) /* for a slow collector, of AGAIN_NS: packets are not read then */

static int read_address(struct flow_export *export, const char *address, uint16_t port)
{
	struct sockaddr_in *ipv4 = (void *)&export->to;
	struct sockaddr_in6 *ipv6 = (void *)&export->to;
	uint8_t bytes[2] = { (uint8_t)(port >> 8), (uint8_t)port };

	if (inet_pton(AF_INET, address, &ipv4->sin_addr) == 1) {
		ipv4->sin_family = AF_INET;
		memcpy(&ipv4->sin_port, bytes, sizeof(bytes));
		export->to_bytes = sizeof(*ipv4);
		return 0;
	}
	if (inet_pton(AF_INET6, address, &ipv6->sin6_addr) != 1)
		return -EINVAL;
	ipv6->sin6_family = AF_INET6;
	memcpy(&ipv6->sin6_port, bytes, sizeof(bytes));
	export->to_bytes = sizeof(*ipv6);
	return 0;
}

/* A connection that does not stand within a second is given up. */
static int connect_within(const struct flow_export *export, int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };
	socklen_t bytes = sizeof(int);
	int error = 0, count;

	if (connect(fd, (const struct sockaddr *)&export->to, export->to_bytes) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	count = poll(&ready, 1, CONNECT_MS);
	if (count != 1)
		return count ? -errno : -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &bytes) < 0)
		return -errno;
	return -error;
}

static int reach(struct flow_export *export)
{
	int kind = export->is_tcp ? SOCK_STREAM : SOCK_DGRAM;
	int error;

	export->fd = socket(export->to.ss_family, kind | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (export->fd < 0)
		return -errno;
	error = connect_within(export, export->fd);
	if (!error)
		return 0;
	close(export->fd);
	export->fd = -1;
	return error;
}

int flow_export_open(struct flow_export *export, const char *address, uint16_t port,
		     struct fault *fault)
{
	int error = read_address(export, address, port);

	export->fd = -1;
	if (error)
		return fault_set(fault, error, "collector", "write an IPv4 or IPv6 address",
				 "%s is no address", address);
	error = reach(export);
	if (error)
		return fault_system(fault, error, "collector", "reaching the collector");
	export->templates_ns = clock_now();
	ipfix_begin(&export->ipfix, true);
	return 0;
}

/* Waits until more can be sent; false: it was waited for too long, by all messages together. */
static bool wait_for_room(struct flow_export *export)
{
	struct pollfd ready = { .fd = export->fd, .events = POLLOUT };
	uint64_t began_ns = clock_now();
	bool has_room;

	if (began_ns - export->waits_ns > AGAIN_NS) {
		export->waits_ns = began_ns;
		export->waited_ns = 0;
	}
	if (export->waited_ns >= WAIT_MOST_NS)
		return false;
	has_room = poll(&ready, 1, (int)((WAIT_MOST_NS - export->waited_ns) / NS_PER_MS) + 1) == 1;
	export->waited_ns += clock_now() - began_ns;
	return has_room;
}

/* All of a message, or it was lost; half of one over TCP ends the connection. */
static int send_message(struct flow_export *export)
{
	const struct message *message = &export->ipfix.message;
	size_t done = 0;

	while (done < message->used) {
		ssize_t count =
			send(export->fd, message->bytes + done, message->used - done, MSG_NOSIGNAL);
		int error = count < 0 ? errno : 0;

		if (count > 0)
			done += (size_t)count;
		else if (error == EAGAIN && wait_for_room(export))
			continue;
		else if (error == ECONNREFUSED && !export->is_tcp && !done)
			return -ECONNREFUSED; /* of the message before: the socket stays */
		else
			return -EPIPE;
	}
	return 0;
}

static void lose_connection(struct flow_export *export)
{
	close(export->fd);
	export->fd = -1;
	export->again_ns = clock_now() + AGAIN_NS;
}

/* Returns whether a collector may be there. */
static bool is_reached(struct flow_export *export)
{
	if (export->fd >= 0)
		return true;
	if (clock_now() < export->again_ns)
		return false;
	export->again_ns = clock_now() + AGAIN_NS;
	if (reach(export))
		return false;
	export->ipfix.records = 0; /* a connection counts its own (RFC 7011, section 3.1) */
	return true;
}

/* Whether the next message begins with them: where it may be the first of a new connection. */
static bool need_templates(struct flow_export *export)
{
	if (export->fd < 0)
		return true;
	if (export->is_tcp || clock_now() - export->templates_ns < TEMPLATES_EACH_NS)
		return false;
	export->templates_ns = clock_now();
	return true;
}

void flow_export_flush(struct flow_export *export)
{
	uint32_t inside = export->ipfix.inside;
	int error;

	if (!inside)
		return;
	error = is_reached(export) ? 0 : -ENOTCONN;
	ipfix_end(&export->ipfix, (uint32_t)(clock_read(CLOCK_REALTIME) / NS_PER_S));
	if (!error)
		error = send_message(export);
	if (error)
		export->lost += inside;
	else
		export->sent += inside;
	if (error == -EPIPE && export->is_tcp)
		lose_connection(export);
	ipfix_begin(&export->ipfix, need_templates(export));
}

void flow_export_put(struct flow_export *export, const struct flow_record *record)
{
	/* For each message anew: the time of day may be set while flows are kept. */
	if (!export->ipfix.inside)
		export->ipfix.realtime_ns = 0 - clock_realtime_offset();
	if (ipfix_add(&export->ipfix, record))
		return;
	flow_export_flush(export);
	ipfix_add(&export->ipfix, record);
}

void flow_export_close(struct flow_export *export)
{
	if (export->fd >= 0)
		close(export->fd);
	export->fd = -1;
}
