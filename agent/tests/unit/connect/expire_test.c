// SPDX-License-Identifier: Apache-2.0
/* When a held connection whose peer is silent is given up. */
#include "connect/client.h"
#include "connect/message.h"
#include "tests/test.h"
#include "time/clock.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define TIMEOUT_NS (50 * NS_PER_MS)
#define ASK_MS 10 /* sooner than the timeout */
#define ASKS 10 /* together longer than it */

static void open_held(struct client *client, int *peer)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET };
	struct fault fault;
	int pair[2];

	*client = (struct client){
		.options = { .mode = MODE_HOLD, .connections = 1, .timeout_ns = TIMEOUT_NS }
	};
	CHECK_EQUAL(client_open(client, NULL, &fault), 0);
	CHECK_EQUAL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
	CHECK_EQUAL(epoll_ctl(client->epoll, EPOLL_CTL_ADD, pair[0], &event), 0);
	client->conn[0] = (struct conn){ .fd = pair[0], .state = CONN_OPEN };
	client->open = client->high = 1;
	*peer = pair[1];
}

static void expire(struct client *client)
{
	client->now_ns = clock_now();
	client->expire_ns = 0; /* look now */
	client_expire(client);
}

TEST(hold_gives_up_who_never_answers_however_often_it_is_asked)
{
	struct client client;
	int peer;

	open_held(&client, &peer);
	for (int i = 0; i < ASKS && conn_ask(&client, 0); i++) {
		poll(NULL, 0, ASK_MS);
		expire(&client);
	}
	CHECK_EQUAL(client.failed[FAILURE_NO_ECHO], 1);
	CHECK_EQUAL(client.flying + client.open, 0);
	close(peer);
	client_close(&client);
}

/* Two messages, of which one comes back when the timeout is over but not noticed yet. */
TEST(hold_waits_anew_after_an_answer)
{
	struct client client;
	uint8_t message[MESSAGE_BYTES];
	int peer;

	open_held(&client, &peer);
	client.options.timeout_ns = 60 * NS_PER_S;
	CHECK(conn_ask(&client, 0));
	CHECK(conn_ask(&client, 0));
	client.conn[0].waits_ns -= 2 * client.options.timeout_ns;
	CHECK_EQUAL(read(peer, message, sizeof(message)), sizeof(message));
	CHECK_EQUAL(write(peer, message, sizeof(message)), sizeof(message));
	client_poll(&client, 0);
	expire(&client);
	CHECK_EQUAL(client.answered, 1);
	CHECK_EQUAL(client.failures, 0);
	close(peer);
	client_close(&client);
}
