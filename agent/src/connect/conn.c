// SPDX-License-Identifier: Apache-2.0
/* What is done to a connection: begin it, send over it, release it. */
#include "connect/conn.h"
#include "connect/message.h"
#include "time/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unistd.h>

bool conn_flies(const struct conn *conn)
{
	return conn->state == CONN_CONNECTING || conn->state == CONN_ASKED ||
	       conn->state == CONN_ENDING;
}

void conn_release(struct client *client, unsigned int at)
{
	struct conn *conn = &client->conn[at];

	if (conn->fd >= 0)
		close(conn->fd);
	if (conn_flies(conn))
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
	conn_release(client, at);
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
	uint64_t now = clock_now();
	int fd;

	*conn = (struct conn){
		.fd = -1, .state = CONN_CONNECTING, .since_ns = now, .waits_ns = now
	};
	client->begun++;
	client->flying++;
	fd = open_socket(client, number);
	if (client->options.mode == MODE_CRR && (fd == -EADDRINUSE || fd == -EADDRNOTAVAIL)) {
		client->skipped++; /* the last use of this port has not ended: try the next one */
		conn_release(client, at);
		return;
	}
	conn->fd = fd;
	if (fd < 0)
		conn_fail(client, at, failure_of(-fd, true), -fd);
	else if (epoll_ctl(client->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		conn_fail(client, at, failure_of(errno, true), errno);
}

void conn_send(struct client *client, unsigned int at, uint64_t now)
{
	struct conn *conn = &client->conn[at];
	uint8_t message[MESSAGE_BYTES];

	message_write(message, at, now);
	client->asked++;
	if (!conn->unanswered++)
		conn->waits_ns = now;
	conn->since_ns = now;
	if (send(conn->fd, message, sizeof(message), MSG_NOSIGNAL) != (ssize_t)sizeof(message))
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
	conn_send(client, at, clock_now());
	return true;
}
