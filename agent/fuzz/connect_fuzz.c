// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes in any pieces as what comes back over connections: echoes, echoes of others, garbage,
 * an end. Every message is answered once at most, and a connection is open, waits or is free.
 */
#include "connect/client.h"
#include "connect/message.h"
#include "fuzz/fuzz.h"
#include "time/clock.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 3

static void open_connections(struct client *client, int peer[CONNECTIONS])
{
	struct fault fault;

	REQUIRE(client_open(client, NULL, &fault) == 0);
	for (unsigned int i = 0; i < CONNECTIONS; i++) {
		struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET,
					     .data.u32 = i };
		int pair[2];

		REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) ==
			0);
		client->conn[i] = (struct conn){ .fd = pair[0], .state = CONN_OPEN };
		client->open++;
		peer[i] = pair[1];
		REQUIRE(epoll_ctl(client->epoll, EPOLL_CTL_ADD, pair[0], &event) == 0);
	}
	client->begun = CONNECTIONS;
	client->spares = 0; /* all places are taken */
	client->low = 0;
	client->high = CONNECTIONS;
}

static void check(const struct client *client)
{
	unsigned int open = 0, flying = 0;
	uint64_t unanswered = 0, failed = 0;

	for (unsigned int i = 0; i < CONNECTIONS; i++) {
		const struct conn *conn = &client->conn[i];

		open += conn->state == CONN_OPEN;
		flying += conn->state == CONN_ASKED || conn->state == CONN_ENDING;
		unanswered += conn->unanswered;
		REQUIRE(conn->part < MESSAGE_BYTES);
		REQUIRE((conn->state == CONN_FREE) == (conn->fd < 0));
		if (conn->state == CONN_OPEN)
			REQUIRE(!conn->unanswered);
	}
	for (int i = 0; i < FAILURES; i++)
		failed += client->failed[i];
	REQUIRE(client->open == open && client->flying == flying);
	REQUIRE(client->answered + unanswered <= client->asked);
	REQUIRE(client->failures == failed && failed <= CONNECTIONS);
	REQUIRE(client->echo_ns.total <= client->answered);
	REQUIRE(client->echo_ns.most <= clock_now()); /* none was sent in the future */
}

/* The peer's part: an echo of what came, whole or in two pieces; other bytes; or the end. */
static void answer(struct input *input, int peer, unsigned int number)
{
	uint8_t bytes[256], what = input_8(input);
	struct input part;
	ssize_t count;

	switch (what % 5) {
	case 0: /* back as it came */
		count = read(peer, bytes, sizeof(bytes));
		if (count > 0)
			(void)!write(peer, bytes, (size_t)count);
		break;
	case 1: /* a part of it */
		count = read(peer, bytes, 1 + what % MESSAGE_BYTES);
		if (count > 0)
			(void)!write(peer, bytes, (size_t)count);
		break;
	case 2: /* of this connection or another, at any time */
		message_write(bytes, number ^ (what >> 7), input_64(input));
		(void)!write(peer, bytes, MESSAGE_BYTES);
		break;
	case 3:
		part = input_part(input, what);
		if (part.left)
			(void)!write(peer, part.at, part.left);
		break;
	default:
		shutdown(peer, SHUT_WR);
	}
}

static void step(struct client *client, struct input *input, const int peer[CONNECTIONS])
{
	uint8_t what = input_8(input);
	unsigned int at = what % CONNECTIONS;

	if (what & 128)
		client_poll(client, 0);
	else if (what & 64)
		answer(input, peer[at], at);
	else
		conn_ask(client, at);
	check(client);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct client client;
	struct input input = { data, size };
	uint8_t flags = input_8(&input);
	int peer[CONNECTIONS];

	signal(SIGPIPE, SIG_IGN); /* as talk_begin() has it */
	memset(&client, 0, sizeof(client));
	client.options = (struct client_options){ .mode = flags & 1 ? MODE_CRR : MODE_HOLD,
						  .connections = CONNECTIONS,
						  .timeout_ns = UINT64_MAX };
	client.timed = flags & 2;
	client.opening = flags & 4;
	REQUIRE(bins_open(&client.rate, 2, 1000000) == 0);
	open_connections(&client, peer);
	check(&client);
	while (input.left)
		step(&client, &input, peer);
	client_poll(&client, 0);
	check(&client);
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		close(peer[i]);
	client_close(&client);
	bins_close(&client.rate);
	return 0;
}
