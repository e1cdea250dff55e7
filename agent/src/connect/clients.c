// SPDX-License-Identifier: Apache-2.0
/*
 * The job of all client processes. They open connections one after the other, in the order of
 * the numbers: when a process has opened its share, the next process goes on, until one fails.
 */
#include "connect/clients.h"
#include "connect/crew.h"
#include "connect/report.h"
#include "sandbox/sandbox.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WAIT_MS 20
#define LATE_NS (10 * NS_PER_S) /* bins beyond the duration */
#define LONGEST_NS (600 * NS_PER_S) /* to open those that are to be held */

enum command { COMMAND_OPEN = 'o', COMMAND_VERIFY = 'v' };

struct clients {
	struct crew crew;
	struct talk *talk;
	struct client *client; /* one a process, shared */
	size_t bytes, bins_bytes;
	bool over; /* the laboratory has ended the job */
};

static void obey(struct client *client, enum command what)
{
	if (what == COMMAND_OPEN)
		opening_run(client);
	else
		verify_run(client);
	client->whole = true;
}

/* A child process: obeys commands until its pipe ends; its connections end with it. */
static void follow(struct clients *clients)
{
	struct client *client = &clients->client[clients->crew.number];
	struct talk talk = { .line.fd = -1 };
	struct fault fault;
	char what;

	if (client_open(client, &talk, &fault) < 0)
		_exit(EXIT_FAILURE);
	memory_watch();
	sandbox_enter(SANDBOX_SOCKETS | SANDBOX_CONNECT);
	while ((what = crew_await())) {
		client->whole = false;
		obey(client, (enum command)what);
		crew_reply();
	}
	_exit(EXIT_SUCCESS);
}

static void tick(struct clients *clients)
{
	struct client *first = &clients->client[0];
	uint64_t now = clock_now();
	uint64_t opened = 0;

	if (now < first->tick_ns)
		return;
	for (unsigned int i = 0; i < clients->crew.count; i++)
		opened += clients->client[i].opened;
	line_begin(&clients->talk->line, "tick");
	line_count(&clients->talk->line, "t_ns", now);
	line_count(&clients->talk->line, "connections", opened);
	line_end(&clients->talk->line);
	first->tick_ns += first->options.tick_ns;
}

/* Lets process i do something, and waits for it. */
static void lead(struct clients *clients, unsigned int i, enum command what)
{
	if (!i) {
		obey(&clients->client[0], what);
		return;
	}
	clients->client[i].whole = false;
	crew_command(&clients->crew, i, (char)what);
	while (!crew_replied(&clients->crew, i, WAIT_MS)) {
		tick(clients);
		if (!clients->over && talk_over(clients->talk)) {
			clients->over = true;
			crew_dismiss(&clients->crew, i);
		}
	}
}

/* How many processes took part; -1: one of them has died. */
static int open_all(struct clients *clients)
{
	uint64_t begin_ns = clock_now();
	enum mode mode = clients->client[0].options.mode;
	unsigned int i = 0;

	for (; i < clients->crew.count && !clients->over; i++) {
		struct client *client = &clients->client[i];

		client->rate.t0_ns = begin_ns;
		client->until_ns =
			begin_ns + (mode == MODE_OPEN ? client->options.duration_ns : LONGEST_NS);
		lead(clients, i, COMMAND_OPEN);
		if (!client->whole)
			return -1;
		if (client->stop != STOP_CONNECTIONS)
			return (int)i + 1;
	}
	return (int)i;
}

/* False if a process that held connections has died. */
static bool verify_all(struct clients *clients, unsigned int parts)
{
	bool whole = true;

	for (unsigned int i = 0; i < parts && !clients->over && whole; i++) {
		lead(clients, i, COMMAND_VERIFY);
		whole = clients->client[i].whole || clients->over;
	}
	return whole;
}

/* Holds the connections until the laboratory ends that. */
static void hold_on(struct client *client)
{
	client_begin(client);
	while (!client_look(client))
		client_poll(client, WAIT_MS);
}

static int open_and_hold(struct clients *clients, struct fault *fault)
{
	struct client *first = &clients->client[0];
	enum mode mode = first->options.mode;
	int parts = open_all(clients);

	if (parts < 0 || (mode == MODE_OPEN && !verify_all(clients, (unsigned int)parts)))
		return fault_set(fault, -ECHILD, NULL, "check whether memory ran out (dmesg)",
				 "a process that held connections has died");
	for (int i = 1; i < parts; i++)
		client_add(first, &clients->client[i]);
	client_report_opened(first, &clients->talk->line);
	if (mode == MODE_OPEN) {
		hold_on(first);
		return 0;
	}
	hold_run(first);
	verify_run(first);
	return 0;
}

static int lead_all(struct clients *clients, int cpu, struct fault *fault)
{
	struct client *first = &clients->client[0];
	int error = client_open(first, clients->talk, fault);

	if (error)
		return error;
	memory_watch();
	talk_ready(clients->talk, NULL, cpu);
	line_integer(&clients->talk->line, "processes", clients->crew.count);
	line_end(&clients->talk->line);
	error = talk_start(clients->talk, fault);
	if (error)
		return error;
	if (first->options.mode == MODE_CRR)
		crr_run(first);
	else
		error = open_and_hold(clients, fault);
	if (!error)
		client_report(first, &clients->talk->line);
	return error;
}

/* The part of each process, in memory that all of them share. */
static int share_out(struct clients *clients, const struct client_options *options,
		     unsigned int share, unsigned int count)
{
	struct bins bins = { .width_ns = options->bin_ns };

	bins.count = (size_t)((options->duration_ns + LATE_NS) / options->bin_ns + 1);
	clients->bytes = count * sizeof(struct client);
	clients->bins_bytes = bins.count * sizeof(bins.amount[0]);
	clients->client = crew_memory(clients->bytes);
	bins.amount = crew_memory(clients->bins_bytes);
	if (!clients->client || !bins.amount)
		return -ENOMEM;
	for (unsigned int i = 0; i < count; i++) {
		struct client *client = &clients->client[i];
		unsigned int before = i * share;

		client->options = *options;
		client->options.base = before;
		if (options->connections - before > share)
			client->options.connections = share;
		else
			client->options.connections -= before;
		client->rate = bins;
		client->epoll = client->timer = -1;
		if (i)
			client->options.tick_ns = 0; /* the first process reports for all */
	}
	return 0;
}

int clients_run(const struct client_options *options, struct talk *talk, int cpu,
		struct fault *fault)
{
	unsigned int share = crew_share(options->connections, fault);
	unsigned int count = share ? (options->connections + share - 1) / share : 0;
	struct clients clients = { .talk = talk };
	int error;

	if (!share)
		return -EMFILE;
	if (count > 1 && options->mode == MODE_HOLD)
		return fault_set(fault, -EMFILE, "connections",
				 "ask for fewer, run as root, or raise the limit (ulimit -Hn)",
				 "one process may hold %u connections here", share);
	error = share_out(&clients, options, share, count);
	if (error)
		return fault_system(fault, error, "connections", "memory for the connections");
	error = crew_begin(&clients.crew, count, false, fault);
	if (clients.crew.number)
		follow(&clients);
	if (!error)
		error = lead_all(&clients, cpu, fault);
	client_close(&clients.client[0]);
	crew_end(&clients.crew);
	munmap(clients.client[0].rate.amount, clients.bins_bytes);
	munmap(clients.client, clients.bytes);
	return error;
}
