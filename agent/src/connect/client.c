// SPDX-License-Identifier: Apache-2.0
/* The client: memory and descriptors, regular looks at the clock and at stdin. */
#include "connect/client.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define LOOK_NS (10 * NS_PER_MS)

static int take_memory(struct client *client, struct fault *fault)
{
	unsigned int count = client->options.connections;

	client->conn = calloc(count, sizeof(client->conn[0]));
	client->spare = calloc(count, sizeof(client->spare[0]));
	if (!client->conn || !client->spare)
		return fault_system(fault, -ENOMEM, "connections", "memory for the connections");
	for (unsigned int i = 0; i < count; i++) {
		client->conn[i].fd = -1;
		client->spare[i] = count - 1 - i;
	}
	client->spares = count;
	return 0;
}

static int take_descriptors(struct client *client, struct fault *fault)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = UINT32_MAX };

	client->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (client->epoll < 0)
		return fault_system(fault, -errno, NULL, "epoll");
	client->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (client->timer < 0 || epoll_ctl(client->epoll, EPOLL_CTL_ADD, client->timer, &event) < 0)
		return fault_system(fault, -errno, NULL, "a timer");
	return 0;
}

int client_open(struct client *client, struct talk *talk, struct fault *fault)
{
	int error;

	client->talk = talk;
	client->epoll = -1;
	client->timer = -1;
	error = take_memory(client, fault);
	return error ? error : take_descriptors(client, fault);
}

/* Many connections are closed faster by the kernel when the process ends. */
void client_close(struct client *client)
{
	for (unsigned int i = 0; client->conn && i < client->options.connections; i++)
		if (client->conn[i].fd >= 0)
			close(client->conn[i].fd);
	if (client->timer >= 0)
		close(client->timer);
	if (client->epoll >= 0)
		close(client->epoll);
	free(client->spare);
	free(client->conn);
}

void client_begin(struct client *client)
{
	client->now_ns = clock_now();
	client->look_ns = client->now_ns + LOOK_NS;
	client->expire_ns = client->now_ns;
	if (!client->tick_ns)
		client->tick_ns = client->options.tick_ns ? client->now_ns + client->options.tick_ns
							  : UINT64_MAX;
}

static void tick(struct client *client)
{
	struct line *line = &client->talk->line;

	line_begin(line, "tick");
	line_count(line, "t_ns", client->now_ns);
	line_count(line, "connections", client->opened);
	line_end(line);
	client->tick_ns += client->options.tick_ns;
}

bool client_look(struct client *client)
{
	client->now_ns = clock_now();
	if (client->now_ns < client->look_ns)
		return false;
	client->look_ns = client->now_ns + LOOK_NS;
	client_expire(client);
	if (client->now_ns >= client->tick_ns)
		tick(client);
	return talk_over(client->talk);
}

static void histogram_join(struct histogram *all, const struct histogram *part)
{
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		all->count[i] += part->count[i];
	all->total += part->total;
	if (part->most > all->most)
		all->most = part->most;
}

/* The other client worked after this one: its end and its reason to stop count for both. */
void client_add(struct client *client, const struct client *other)
{
	if (!client->failures && other->failures) {
		client->first = other->first;
		client->first_errno = other->first_errno;
		client->first_number = other->first_number;
	}
	for (int i = 0; i < FAILURES; i++)
		client->failed[i] += other->failed[i];
	client->failures += other->failures;
	client->begun += other->begun;
	client->connected += other->connected;
	client->opened += other->opened;
	client->asked += other->asked;
	client->answered += other->answered;
	client->open += other->open;
	client->verified += other->verified;
	client->verify_asked += other->verify_asked;
	client->cpu_ns += other->cpu_ns;
	client->memory_bytes += other->memory_bytes;
	histogram_join(&client->connect_ns, &other->connect_ns);
	histogram_join(&client->echo_ns, &other->echo_ns);
	if (other->stop) {
		client->stop = other->stop;
		client->t1_ns = other->t1_ns;
		client->open_t1_ns = other->open_t1_ns;
	}
}
