// SPDX-License-Identifier: Apache-2.0
/* One TCP socket with the options of the request. */
#include "stream/endpoint.h"
#include "port/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SYSCTL "/proc/sys/net/ipv4/"

/* The first line of a small file; empty if there is none. */
static void read_line(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t count = fd < 0 ? 0 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[count > 0 ? count : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
}

static int refuse_congestion(const char *name, int error, struct fault *fault)
{
	char known[256];

	read_line(SYSCTL "tcp_available_congestion_control", known, sizeof(known));
	fault_fill(fault, "congestion", "", "congestion control \"%.40s\": %s", name,
		   error == -ENOENT ? "this kernel does not have it" : strerror(-error));
	snprintf(fault->fix, sizeof(fault->fix), "this kernel has: %s",
		 *known ? known : "an unknown list");
	return error;
}

/*
 * The default need not be set. So where setting it is refused (qemu-user takes every TCP option for
 * an int), that is no error.
 */
static int set_congestion(int fd, const char *name, struct fault *fault)
{
	char preset[256];
	int error;

	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0)
		return 0;
	error = -errno;
	read_line(SYSCTL "tcp_congestion_control", preset, sizeof(preset));
	return strcmp(preset, name) ? refuse_congestion(name, error, fault) : 0;
}

/* A name comes with the length TCP_CA_NAME_MAX, unless an emulator cuts it. */
const char *endpoint_congestion(const struct streams *streams, char name[ENDPOINT_NAME])
{
	int fd = streams->opened ? streams->stream[0].fd : streams->listener;
	socklen_t length = ENDPOINT_NAME;

	memset(name, 0, ENDPOINT_NAME);
	if (getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &length) < 0 ||
	    length < ENDPOINT_NAME)
		return streams->options.congestion;
	name[ENDPOINT_NAME - 1] = '\0';
	return name;
}

int endpoint_buffer(const struct streams *streams)
{
	int fd = streams->opened ? streams->stream[0].fd : streams->listener;
	int bytes = 0;
	socklen_t length = sizeof(bytes);

	getsockopt(fd, SOL_SOCKET, streams->options.source ? SO_SNDBUF : SO_RCVBUF, &bytes,
		   &length);
	return bytes;
}

static void set_buffer(int fd, const struct streams_options *options)
{
	if (!options->buffer_bytes)
		return;
	if (options->source)
		socket_size_output(fd, (size_t)options->buffer_bytes);
	else
		socket_size_receive(fd, (size_t)options->buffer_bytes);
}

socklen_t endpoint_address(const struct streams *streams, struct sockaddr_storage *storage,
			   const uint8_t *bytes, uint16_t port)
{
	socklen_t length = address_fill(storage, streams->options.family, bytes, port);

	if (streams->options.family == 6 && IN6_IS_ADDR_LINKLOCAL((const struct in6_addr *)bytes))
		((struct sockaddr_in6 *)storage)->sin6_scope_id = streams->scope;
	return length;
}

static int bind_own(int fd, const struct streams *streams, uint16_t port, struct fault *fault)
{
	struct sockaddr_storage own;
	socklen_t length = endpoint_address(streams, &own, streams->options.own, port);

	if (bind(fd, (struct sockaddr *)&own, length) == 0)
		return 0;
	if (errno == EADDRINUSE)
		return fault_set(fault, -EADDRINUSE, "src_port",
				 "choose another port, or end the program that uses it (ss -tanp)",
				 "port %u is in use on this host", port);
	if (errno == EACCES)
		return fault_set(fault, -EACCES, "src_port",
				 "choose a port from 1024 on, or run as root",
				 "only root may use port %u", port);
	return fault_system(fault, -errno, "src", "the own address");
}

/* A listener's is that of the connections that it takes, too (RFC 2474: the upper six bits). */
static void set_mark(int fd, const struct streams_options *options)
{
	int traffic_class = options->mark << 2;

	if (options->family == 4)
		setsockopt(fd, IPPROTO_IP, IP_TOS, &traffic_class, sizeof(traffic_class));
	else
		setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &traffic_class, sizeof(traffic_class));
}

/*
 * With a reset at every end of a connection, even where the agent is killed, nothing lingers in a
 * queue and no TIME_WAIT keeps a port from the next trial.
 */
static int set_options(int fd, const struct streams *streams, struct fault *fault)
{
	const struct streams_options *options = &streams->options;
	struct linger reset = { .l_onoff = 1 };
	int yes = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) < 0)
		return fault_system(fault, -errno, NULL, "a socket's options");
	if (options->family == 6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	if (options->device && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, options->device,
					  (socklen_t)strlen(options->device)) < 0)
		return fault_system(fault, -errno, "device", "binding a socket to the device");
	set_mark(fd, options);
	set_buffer(fd, options);
	return set_congestion(fd, options->congestion, fault);
}

int endpoint_open(const struct streams *streams, uint16_t port, struct fault *fault)
{
	int fd = socket(streams->options.family == 4 ? AF_INET : AF_INET6,
			SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return fault_system(fault, -errno, "streams", "a socket for each stream");
	error = set_options(fd, streams, fault);
	if (!error)
		error = bind_own(fd, streams, port, fault);
	if (!error)
		return fd;
	close(fd);
	return error;
}
