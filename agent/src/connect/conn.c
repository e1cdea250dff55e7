// SPDX-License-Identifier: Apache-2.0
/*
 * The life of one connection: SYN sent, connected, asked, answered; then it is open, or (crr) the
 * peer ends it and it is over. Edge-triggered: a socket is added to epoll once and never changed.
 */
#include "connect/client.h"
#include "connect/message.h"
#include "lib/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BATCH 256
#define EXPIRE_NS (100 * NS_PER_MS)
#define READ_BYTES 4096

static bool flies(const struct conn *conn)
{
	return conn->state == CONN_CONNECTING || conn->state == CONN_ASKED ||
	       conn->state == CONN_ENDING;
}

/* Ends it in any case; the place is free. */
static void release(struct client *client, unsigned int at)
{
	struct conn *conn = &client->conn[at];

	if (conn->fd >= 0)
		close(conn->fd);
	if (flies(conn))
		client->flying--;
	else if (conn->state == CONN_OPEN)
		client->open--;
	*conn = (struct conn){ .fd = -1 };
	if (client->options.mode == MODE_CRR)
		client->spare[client->spares++] = at;
}

void conn_fail(struct client *client, unsigned int at, enum failure failure, int error)
{
	if (!client->failures++) {
		client->first = failure;
		client->first_errno = error;
		client->first_number = client->options.mode == MODE_CRR ? client->begun - 1
									: client->options.base + at;
	}
	client->failed[failure]++;
	release(client, at);
}

/* What an errno says, of a connection that is still being opened or is open. */
static enum failure failure_of(int error, bool connecting)
{
	switch (error) {
	case ECONNREFUSED:
		return FAILURE_REFUSED;
	case ECONNRESET:
	case EPIPE:
		return connecting ? FAILURE_REFUSED : FAILURE_RESET;
	case ETIMEDOUT:
		return connecting ? FAILURE_NO_ANSWER : FAILURE_NO_ECHO;
	case ENETUNREACH:
	case EHOSTUNREACH:
		return FAILURE_UNREACHABLE;
	case EADDRINUSE:
	case EADDRNOTAVAIL:
		return FAILURE_NO_PORT;
	case EMFILE:
	case ENFILE:
		return FAILURE_NO_DESCRIPTOR;
	case ENOMEM:
	case ENOBUFS:
		return FAILURE_NO_MEMORY;
	default:
		return FAILURE_OTHER;
	}
}

/*
 * Held connections are reset at their end, so that nothing lingers; those of crr end in order,
 * and the peer, who ends them first, keeps the TIME_WAIT.
 */
static int open_socket(const struct client *client, uint64_t number)
{
	const struct client_options *options = &client->options;
	struct linger reset = { .l_onoff = 1 };
	struct sockaddr_storage own, peer;
	socklen_t length = tuples_pick(&options->tuples, number, &own, &peer);
	int fd = socket(own.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int yes = 1;
	int error;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (options->mode != MODE_CRR)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	if (bind(fd, (struct sockaddr *)&own, length) == 0 &&
	    (connect(fd, (struct sockaddr *)&peer, length) == 0 || errno == EINPROGRESS))
		return fd;
	error = -errno;
	close(fd);
	return error;
}

void conn_begin(struct client *client, unsigned int at, uint64_t number)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
				     .data.u32 = at };
	struct conn *conn = &client->conn[at];
	int fd;

	*conn = (struct conn){ .fd = -1, .state = CONN_CONNECTING, .since_ns = clock_now() };
	client->begun++;
	client->flying++;
	fd = open_socket(client, number);
	if (client->options.mode == MODE_CRR && (fd == -EADDRINUSE || fd == -EADDRNOTAVAIL)) {
		client->skipped++; /* the last use of this port has not ended: try the next one */
		release(client, at);
		return;
	}
	conn->fd = fd;
	if (fd < 0)
		conn_fail(client, at, failure_of(-fd, true), -fd);
	else if (epoll_ctl(client->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		conn_fail(client, at, failure_of(errno, true), errno);
}

static void send_message(struct client *client, unsigned int at, uint64_t now)
{
	struct conn *conn = &client->conn[at];
	uint8_t message[MESSAGE_BYTES];

	message_write(message, at, now);
	client->asked++;
	conn->unanswered++;
	conn->since_ns = now;
	if (send(conn->fd, message, sizeof(message), MSG_NOSIGNAL) != sizeof(message))
		conn_fail(client, at, failure_of(errno, false), errno);
}

bool conn_ask(struct client *client, unsigned int at)
{
	struct conn *conn = &client->conn[at];

	if (conn->state == CONN_OPEN) {
		conn->state = CONN_ASKED;
		client->flying++;
		client->open--;
	}
	if (conn->state != CONN_ASKED || conn->unanswered == UINT16_MAX)
		return false;
	send_message(client, at, clock_now());
	return true;
}

static void connected(struct client *client, unsigned int at)
{
	struct conn *conn = &client->conn[at];
	uint64_t now = clock_now();

	histogram_add(&client->connect_ns, now - conn->since_ns);
	client->connected++;
	conn->state = CONN_ASKED;
	send_message(client, at, now);
}

/* The first answer over a new connection. */
static void opened(struct client *client)
{
	client->opened++;
	bins_add(&client->rate, clock_now(), 1);
}

/* A message is back. */
static void answered(struct client *client, struct conn *conn)
{
	client->answered++;
	if (--conn->unanswered)
		return;
	conn->state = CONN_OPEN;
	client->flying--;
	client->open++;
	if (client->opening)
		opened(client);
}

/* False: this is not what was sent. */
static bool take(struct client *client, unsigned int at, const uint8_t *bytes, size_t count)
{
	struct conn *conn = &client->conn[at];
	uint64_t now = clock_now();
	size_t i = 0;

	if (conn->part && conn->part + count >= MESSAGE_BYTES) { /* it was cut: not timed */
		if (!conn->unanswered)
			return false;
		i = (size_t)(MESSAGE_BYTES - conn->part);
		conn->part = 0;
		answered(client, conn);
	}
	for (; !conn->part && i + MESSAGE_BYTES <= count; i += MESSAGE_BYTES) {
		uint64_t sent;

		if (!conn->unanswered || !message_read(bytes + i, at, &sent))
			return false;
		if (client->timed)
			histogram_add(&client->echo_ns, now - sent);
		answered(client, conn);
	}
	conn->part = (uint8_t)(conn->part + (count - i));
	return true;
}

/* Reads what has come. False: the connection has failed and is no more. */
static bool receive(struct client *client, unsigned int at)
{
	struct conn *conn = &client->conn[at];
	uint8_t buffer[READ_BYTES];
	ssize_t got;

	do {
		got = recv(conn->fd, buffer, sizeof(buffer), 0);
		if (got > 0 && !take(client, at, buffer, (size_t)got)) {
			conn_fail(client, at, FAILURE_GARBLED, 0);
			return false;
		}
	} while (got == sizeof(buffer));
	if (got >= 0 || errno == EAGAIN || errno == EINTR)
		return true;
	conn_fail(client, at, failure_of(errno, false), errno);
	return false;
}

/* Answered, and ended by the peer or soon to be. */
static void crr_answered(struct client *client, unsigned int at, bool ended)
{
	struct conn *conn = &client->conn[at];

	if (conn->state == CONN_OPEN) {
		conn->state = CONN_ENDING;
		client->open--;
		client->flying++;
	}
	if (!ended)
		return;
	if (conn->state != CONN_ENDING) {
		conn_fail(client, at, FAILURE_RESET, 0);
		return;
	}
	opened(client);
	release(client, at);
}

/* What ended a connection. By recv(): qemu-user hands over the host's number of SO_ERROR. */
static int error_of(int fd)
{
	int error = ECONNRESET;
	socklen_t length = sizeof(error);
	char byte;

	if (recv(fd, &byte, 1, MSG_PEEK) < 0 && errno != EAGAIN)
		return errno;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length);
	return error;
}

static void handle(struct client *client, unsigned int at, uint32_t events)
{
	struct conn *conn = &client->conn[at];
	bool first = conn->state == CONN_CONNECTING;

	if (conn->state == CONN_FREE)
		return;
	if (events & EPOLLERR) {
		int error = error_of(conn->fd);

		conn_fail(client, at, failure_of(error, first), error);
		return;
	}
	if (first && events & EPOLLOUT)
		connected(client, at);
	if (conn->state == CONN_FREE || (events & EPOLLIN && !receive(client, at)))
		return;
	if (client->options.mode == MODE_CRR)
		crr_answered(client, at, events & EPOLLRDHUP);
	else if (events & EPOLLRDHUP)
		conn_fail(client, at, FAILURE_RESET, 0);
}

void client_poll(struct client *client, int timeout_ms)
{
	struct epoll_event events[BATCH];
	uint64_t fired;
	int count = epoll_wait(client->epoll, events, BATCH, timeout_ms);

	for (int i = 0; i < count; i++) {
		if (events[i].data.u32 == UINT32_MAX)
			(void)!read(client->timer, &fired, sizeof(fired));
		else
			handle(client, events[i].data.u32, events[i].events);
	}
}

void client_expire(struct client *client)
{
	if (client->now_ns < client->expire_ns)
		return;
	client->expire_ns = client->now_ns + EXPIRE_NS;
	while (client->forward && client->low < client->high && !flies(&client->conn[client->low]))
		client->low++;
	for (unsigned int i = client->low; i < client->high; i++) {
		const struct conn *conn = &client->conn[i];

		if (flies(conn) && client->now_ns > conn->since_ns + client->options.timeout_ns)
			conn_fail(client, i,
				  conn->state == CONN_CONNECTING ? FAILURE_NO_ANSWER
								 : FAILURE_NO_ECHO,
				  ETIMEDOUT);
	}
}

const char *failure_name(enum failure failure)
{
	static const char *const names[] = {
		[FAILURE_REFUSED] = "refused",	       [FAILURE_NO_ANSWER] = "no answer",
		[FAILURE_NO_ECHO] = "no echo",	       [FAILURE_RESET] = "reset",
		[FAILURE_UNREACHABLE] = "unreachable", [FAILURE_GARBLED] = "garbled",
		[FAILURE_NO_PORT] = "no port",	       [FAILURE_NO_DESCRIPTOR] = "no descriptor",
		[FAILURE_NO_MEMORY] = "no memory",     [FAILURE_OTHER] = "other",
	};

	return names[failure];
}

const char *stop_name(enum stop stop)
{
	static const char *const names[] = {
		[STOP_NONE] = "none",	  [STOP_CONNECTIONS] = "connections",
		[STOP_FAILED] = "failed", [STOP_TIME] = "time",
		[STOP_TOLD] = "told",
	};

	return names[stop];
}
