// SPDX-License-Identifier: Apache-2.0
/*
 * A connection is accepted when its first message is there (TCP_DEFER_ACCEPT), so that a connection
 * with a single request costs four system calls: accept, read, write, close.
 */
#include "connect/server.h"
#include "frame/address.h"
#include "time/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BATCH 256
#define ACCEPTS 64 /* of one port in a row */
#define READ_BYTES 4096
#define WAIT_MS 20
#define LOOK_NS (10 * NS_PER_MS)
#define DEFER_S 1
#define BACKLOG 65535 /* the kernel takes net.core.somaxconn instead if that is less */

/*
 * Accepted sockets inherit SO_LINGER: they are reset at their end, but for those that end in order.
 */
static int set_options(int fd, const struct server_options *options)
{
	struct linger reset = { .l_onoff = 1 };
	int yes = 1;
	int defer_s = DEFER_S;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0)
		return -errno;
	if (options->family == 6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes));
	if (!options->ends && setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) < 0)
		return -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &defer_s, sizeof(defer_s));
	return 0;
}

static int open_listener(const struct server_options *options, uint16_t port)
{
	struct sockaddr_storage own;
	socklen_t length = address_fill(&own, options->family, options->own, port);
	int fd = socket(own.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int error = fd < 0 ? -errno : set_options(fd, options);

	if (fd < 0)
		return error;
	if (!error && (bind(fd, (struct sockaddr *)&own, length) < 0 || listen(fd, BACKLOG) < 0))
		error = -errno;
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* The number tells connections and listeners apart: listeners count from LISTENER on. */
#define LISTENER (1u << 31)

static int attend(struct server *server, int fd, uint32_t number)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };

	return epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

int server_open(struct server *server, struct fault *fault)
{
	const struct server_options *options = &server->options;

	for (unsigned int i = 0; i < options->ports; i++) {
		uint16_t port = (uint16_t)(options->port + i);
		int fd = open_listener(options, port);

		if (fd == -EADDRINUSE)
			return fault_set(fault, fd, "src_port",
					 "choose another port, or end the program that uses it "
					 "(ss -tanp)",
					 "port %u is in use on this host", port);
		if (fd < 0)
			return fault_system(fault, fd, "src", "listening");
		server->listener[server->listeners++] = fd;
	}
	return 0;
}

static void drop_listeners(struct server *server)
{
	while (server->listeners) {
		int fd = server->listener[--server->listeners];

		/* While other processes have it open, epoll would go on reporting it. */
		if (server->epoll >= 0)
			epoll_ctl(server->epoll, EPOLL_CTL_DEL, fd, NULL);
		close(fd);
	}
}

/* Later connections are refused, whichever processes have the socket open. */
static void refuse(struct server *server, const char *why)
{
	server->full = why;
	for (unsigned int i = 0; i < server->listeners; i++)
		shutdown(server->listener[i], SHUT_RDWR);
	drop_listeners(server);
}

void server_close(struct server *server)
{
	drop_listeners(server);
	if (server->epoll >= 0)
		close(server->epoll);
}

static void end(struct server *server, int fd)
{
	close(fd);
	server->open--;
}

/* Sends back what has come, if anything. False: the connection is over. */
static bool echo(struct server *server, int fd)
{
	char bytes[READ_BYTES];
	ssize_t got = recv(fd, bytes, sizeof(bytes), 0);
	/* The end of the connection, if it follows at once, goes into the same packet. */
	int flags = MSG_NOSIGNAL | (server->options.ends ? MSG_MORE : 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (got <= 0 || send(fd, bytes, (size_t)got, flags) != got)
		return false;
	server->echoed_bytes += (uint64_t)got;
	return !server->options.ends;
}

static void take(struct server *server, int fd)
{
	server->accepted++;
	if (++server->open > server->most)
		server->most = server->open;
	if (!echo(server, fd) || attend(server, fd, (uint32_t)fd) < 0)
		end(server, fd);
}

/* One connection too many is accepted and reset, so that the client sees the bound at once. */
static void take_or_refuse(struct server *server, int fd, const struct sockaddr_storage *peer)
{
	if (!peers_have(&server->options.peers, peer)) {
		close(fd);
		server->strangers++;
		return;
	}
	if (server->open < server->options.connections) {
		take(server, fd);
		return;
	}
	close(fd);
	refuse(server, "connections");
}

/* Level-triggered: what is left over is reported again. */
static void accept_some(struct server *server, int listener)
{
	for (unsigned int i = 0; i < ACCEPTS && server->listeners; i++) {
		struct sockaddr_storage peer;
		socklen_t length = sizeof(peer);
		int fd;

		if (!server->last && server->open == server->options.connections) {
			server->passed = true;
			drop_listeners(server);
			break;
		}
		fd = accept4(listener, (struct sockaddr *)&peer, &length,
			     SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0)
			take_or_refuse(server, fd, &peer);
		else if (errno == EMFILE || errno == ENFILE)
			refuse(server, "descriptors");
		else if (errno == ENOMEM || errno == ENOBUFS)
			refuse(server, "memory");
		else
			break;
	}
	server->cpu_accept_ns = clock_cpu();
}

static void handle(struct server *server, uint32_t number, uint32_t events)
{
	if (number & LISTENER) {
		if ((number & ~LISTENER) < server->listeners)
			accept_some(server, server->listener[number & ~LISTENER]);
	} else if (events & (EPOLLERR | EPOLLHUP) || !echo(server, (int)number)) {
		end(server, (int)number);
	}
}

static void attend_all(struct server *server)
{
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned int i = 0; i < server->listeners; i++)
		attend(server, server->listener[i], LISTENER | i);
}

void server_run(struct server *server, struct talk *talk, struct crew *crew)
{
	struct epoll_event events[BATCH];
	uint64_t began_ns = clock_cpu();
	uint64_t look_ns = 0;

	server->cpu_accept_ns = began_ns;
	attend_all(server);
	for (;;) {
		int count = epoll_wait(server->epoll, events, BATCH, WAIT_MS);
		uint64_t now = clock_now();

		for (int i = 0; i < count; i++)
			handle(server, events[i].data.u32, events[i].events);
		if (server->passed && crew) {
			crew_command(crew, crew->number + 1, 'a');
			crew = NULL;
		}
		if (now < look_ns)
			continue;
		look_ns = now + LOOK_NS;
		if (talk_over(talk))
			break;
	}
	server->cpu_ns = clock_cpu() - began_ns;
	server->cpu_accept_ns -= began_ns;
	server->memory_bytes = memory_used();
	server->whole = true;
}
