// SPDX-License-Identifier: Apache-2.0
/*
 * The job of all server processes. They listen on the same sockets and accept one after the
 * other: a process that has its share of connections lets the next process accept, and goes on
 * echoing.
 */
#include "connect/servers.h"
#include "connect/report.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct servers {
	struct crew crew;
	struct server *server; /* one a process, shared */
	size_t bytes;
};

/* A child: waits for its turn, then until its pipe ends; its connections end with it. */
static void follow(struct servers *servers)
{
	struct server *server = &servers->server[servers->crew.number];
	struct talk talk = { .line.fd = -1 };

	memory_watch();
	sandbox_enter(SANDBOX_SOCKETS);
	server->whole = true;
	if (crew_await()) {
		server->whole = false;
		server_run(server, &talk, &servers->crew);
	}
	if (servers->crew.number + 1 < servers->crew.count)
		crew_dismiss(&servers->crew, servers->crew.number + 1);
	crew_reply();
	_exit(EXIT_SUCCESS);
}

/* All have ended their work; what each has counted is added to the first's. */
static int gather(struct servers *servers, struct fault *fault)
{
	struct server *first = &servers->server[0];

	for (unsigned int i = 1; i < servers->crew.count; i++)
		crew_dismiss(&servers->crew, i);
	for (unsigned int i = 1; i < servers->crew.count; i++) {
		const struct server *other = &servers->server[i];

		crew_replied(&servers->crew, i, -1);
		if (!other->whole)
			return fault_set(fault, -ECHILD, NULL,
					 "check whether memory ran out (dmesg)",
					 "a process that held connections has died");
		first->accepted += other->accepted;
		first->strangers += other->strangers;
		first->echoed_bytes += other->echoed_bytes;
		first->open += other->open;
		first->most += other->most;
		first->cpu_ns += other->cpu_ns;
		first->cpu_accept_ns += other->cpu_accept_ns;
		first->memory_bytes += other->memory_bytes;
		first->full = other->full ? other->full : first->full;
	}
	return 0;
}

static int lead(struct servers *servers, struct talk *talk, int cpu, struct fault *fault)
{
	int error;

	memory_watch();
	talk_ready(talk, NULL, cpu);
	line_integer(&talk->line, "processes", servers->crew.count);
	line_end(&talk->line);
	error = talk_start(talk, fault);
	if (error)
		return error;
	server_run(&servers->server[0], talk, servers->crew.count > 1 ? &servers->crew : NULL);
	error = gather(servers, fault);
	if (!error)
		server_report(&servers->server[0], &talk->line);
	return error;
}

static void share_out(struct servers *servers, const struct server *model, unsigned int share,
		      unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct server *server = &servers->server[i];
		unsigned int rest = model->options.connections - i * share;

		*server = *model;
		server->last = i + 1 == count;
		server->options.connections = rest < share ? rest : share;
	}
}

int servers_run(const struct server_options *options, struct talk *talk, int cpu,
		struct fault *fault)
{
	unsigned int share = crew_share(options->connections, fault);
	unsigned int count = share ? (options->connections + share - 1) / share : 0;
	struct servers servers = { .bytes = count * sizeof(struct server) };
	struct server model = { .options = *options, .epoll = -1 };
	int error;

	if (!share)
		return -EMFILE;
	servers.server = crew_memory(servers.bytes);
	if (!servers.server)
		return fault_system(fault, -ENOMEM, "connections", "memory for the server");
	error = server_open(&model, fault);
	share_out(&servers, &model, share, count);
	if (!error)
		error = crew_begin(&servers.crew, count, true, fault);
	if (servers.crew.number)
		follow(&servers);
	if (!error)
		error = lead(&servers, talk, cpu, fault);
	server_close(&servers.server[0]);
	crew_end(&servers.crew);
	munmap(servers.server, servers.bytes);
	return error;
}
