// SPDX-License-Identifier: Apache-2.0
/*
 * What happens to connections: connected, answered, ended by the peer, too late. The message is
 * sent as soon as a connection is established. With the answer it is open, or (crr) the peer ends
 * it. Edge-triggered: a socket is added to epoll once and never changed.
 */
#include "connect/conn.h"
#include "connect/message.h"
#include "time/clock.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH 256
#define EXPIRE_NS (100 * NS_PER_MS)
#define READ_BYTES 4096

static void connected(struct client *client, unsigned int at)
{
	struct conn *conn = &client->conn[at];
	uint64_t now = clock_now();

	histogram_add(&client->connect_ns, now - conn->since_ns);
	client->connected++;
	conn->state = CONN_ASKED;
	conn_send(client, at, now);
}

/* The first answer over a new connection. */
static void opened(struct client *client)
{
	client->opened++;
	bins_add(&client->rate, clock_now(), 1);
}

/* An echo has come. */
static void answered(struct client *client, struct conn *conn, uint64_t now)
{
	client->answered++;
	conn->waits_ns = now;
	if (--conn->unanswered)
		return;
	conn->state = CONN_OPEN;
	client->flying--;
	client->open++;
	if (client->opening)
		opened(client);
}

/* False: the echo is not what was sent. */
static bool take(struct client *client, unsigned int at, const uint8_t *bytes, size_t count)
{
	struct conn *conn = &client->conn[at];
	uint64_t now = clock_now();
	size_t i = 0;

	if (conn->part && conn->part + count >= MESSAGE_BYTES) { /* it came in parts: not timed */
		if (!conn->unanswered)
			return false;
		i = (size_t)(MESSAGE_BYTES - conn->part);
		conn->part = 0;
		answered(client, conn, now);
	}
	for (; !conn->part && i + MESSAGE_BYTES <= count; i += MESSAGE_BYTES) {
		uint64_t sent;

		/* None was sent after the last one. */
		if (!conn->unanswered || !message_read(bytes + i, at, &sent) ||
		    sent > conn->since_ns)
			return false;
		if (client->timed)
			histogram_add(&client->echo_ns, now - sent);
		answered(client, conn, now);
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
	conn_release(client, at);
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
	while (client->forward && client->low < client->high &&
	       !conn_flies(&client->conn[client->low]))
		client->low++;
	for (unsigned int i = client->low; i < client->high; i++) {
		const struct conn *conn = &client->conn[i];

		if (conn_flies(conn) &&
		    client->now_ns > conn->waits_ns + client->options.timeout_ns)
			conn_fail(client, i,
				  conn->state == CONN_CONNECTING ? FAILURE_NO_ANSWER
								 : FAILURE_NO_ECHO,
				  ETIMEDOUT);
	}
}
