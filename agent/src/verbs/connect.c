// SPDX-License-Identifier: Apache-2.0
/*
 * connect: one end of many TCP connections, each with a message and its echo. The keys of
 * the request and the checks; src/connect/ does the work.
 */
#include "connect/clients.h"
#include "connect/servers.h"
#include "frame/address.h"
#include "time/clock.h"
#include "verbs/verb.h"

#include <errno.h>

#define BINS_MAX 1000000 /* 8 MiB */

enum role { ROLE_SERVER, ROLE_CLIENT };

struct connect_request {
	struct job job;
	int role, mode;
	int64_t family;
	const char *src, *dst;
	struct texts peers;
	int64_t src_count;
	int64_t src_port, src_ports;
	int64_t dst_port, dst_ports;
	int64_t connections;
	int64_t ahead;
	double active_pps;
	int64_t duration_ms, timeout_ms, bin_ms;
};

static const char *const role_names[] = { "server", "client", NULL };
static const char *const mode_names[] = { "open", "crr", "hold", NULL };

static const struct key connect_keys[] = {
	KEY(connect_request, role, CHOICE, .required = true, .choices = role_names,
	    .help = "server: accepts and echoes; client: opens and sends messages"),
	KEY(connect_request, mode, CHOICE, .required = true, .choices = mode_names,
	    .help = "open: until one fails; crr: open, request, answer, close; hold: keep at work"),
	KEY(connect_request, family, INTEGER, .required = true, .min = 4, .max = 6,
	    .help = "4 or 6"),
	KEY(connect_request, src, TEXT, .required = true, .help = "own address, the first one"),
	KEY(connect_request, peers, TEXTS,
	    .help = "server: addresses whose connections are taken; none: any"),
	KEY(connect_request, src_count, INTEGER, .preset = 1, .min = 1, .max = 250,
	    .help = "client: consecutive own addresses, used round robin"),
	KEY(connect_request, src_port, INTEGER, .required = true, .min = 1, .max = 65535,
	    .help = "first own port"),
	KEY(connect_request, src_ports, INTEGER, .preset = 1, .min = 1, .max = 65535,
	    .help = "own ports from src_port on; a server listens on each, 256 at most"),
	KEY(connect_request, dst, TEXT, .help = "the server's address; client only"),
	KEY(connect_request, dst_port, INTEGER, .min = 1, .max = 65535,
	    .help = "the server's first port; client only"),
	KEY(connect_request, dst_ports, INTEGER, .preset = 1, .min = 1, .max = SERVER_PORTS,
	    .help = "the server's ports from dst_port on; client only"),
	KEY(connect_request, connections, INTEGER, .required = true, .min = 1, .max = CLIENT_MOST,
	    .help = "client: to open, to hold, at once (crr); server: at once, then it refuses"),
	KEY(connect_request, ahead, INTEGER, .preset = 1, .min = 1, .max = AHEAD_MOST,
	    .help = "client: opened at the same time; 1: one after the other"),
	KEY(connect_request, active_pps, NUMBER, .max = 10000000,
	    .help = "hold: messages a second over all connections together; 0: idle"),
	KEY(connect_request, duration_ms, INTEGER, .preset = 1000, .min = 1, .max = 3600000,
	    .help = "client: how long to open at most (open), or to send messages (crr, hold)"),
	KEY(connect_request, timeout_ms, INTEGER, .preset = 5000, .min = 10, .max = 600000,
	    .help = "client: an answer that takes longer is none"),
	KEY(connect_request, bin_ms, INTEGER, .preset = 100, .min = 1, .max = 10000,
	    .help = "client: bin of the connections over time"),
	{ 0 },
};

static int check_ports(const struct connect_request *request, struct fault *fault)
{
	if (request->src_port + request->src_ports > 65536)
		return fault_set(fault, -EINVAL, "src_ports", "ask for fewer, or begin lower",
				 "%lld ports from %lld on end beyond 65535",
				 (long long)request->src_ports, (long long)request->src_port);
	if (request->dst_port + request->dst_ports > 65536)
		return fault_set(fault, -EINVAL, "dst_ports", "ask for fewer, or begin lower",
				 "%lld ports from %lld on end beyond 65535",
				 (long long)request->dst_ports, (long long)request->dst_port);
	if (request->role == ROLE_SERVER && request->src_ports > SERVER_PORTS)
		return fault_set(fault, -EINVAL, "src_ports", "256 at most",
				 "a server cannot listen on %lld ports",
				 (long long)request->src_ports);
	return 0;
}

static int check_client(const struct connect_request *request, struct fault *fault)
{
	int64_t tuples = request->src_count * request->src_ports * request->dst_ports;

	if (request->peers.count)
		return fault_set(fault, -EINVAL, "peers", "leave it out",
				 "a client takes no connections");
	if (!request->dst || !request->dst_port)
		return fault_set(fault, -EINVAL, request->dst ? "dst_port" : "dst",
				 "give the server's", "a client needs a server");
	if (request->mode == MODE_CRR && request->connections > AHEAD_MOST)
		return fault_set(fault, -EINVAL, "connections", "4096 at most",
				 "crr cannot have %lld at once", (long long)request->connections);
	if (request->connections > tuples)
		return fault_set(fault, -EINVAL, "connections",
				 "raise src_count, src_ports or dst_ports",
				 "%lld connections need as many pairs of address and port; "
				 "there are %lld",
				 (long long)request->connections, (long long)tuples);
	if (request->duration_ms / request->bin_ms + 10000 > BINS_MAX)
		return fault_set(fault, -EINVAL, "bin_ms", "make the bins wider",
				 "%lld ms in bins of %lld ms are too many",
				 (long long)request->duration_ms, (long long)request->bin_ms);
	return 0;
}

static int client_options(const struct connect_request *request, struct client_options *options,
			  struct fault *fault)
{
	int family = (int)request->family;
	int error;

	*options = (struct client_options){
		.mode = (enum mode)request->mode,
		.tuples = { .family = family,
			    .own_count = (unsigned int)request->src_count,
			    .own_port = (uint16_t)request->src_port,
			    .own_ports = (unsigned int)request->src_ports,
			    .peer_port = (uint16_t)request->dst_port,
			    .peer_ports = (unsigned int)request->dst_ports },
		.connections = (unsigned int)request->connections,
		.ahead = (unsigned int)request->ahead,
		.active_pps = request->active_pps,
		.duration_ns = (uint64_t)request->duration_ms * NS_PER_MS,
		.timeout_ns = (uint64_t)request->timeout_ms * NS_PER_MS,
		.bin_ns = (uint64_t)request->bin_ms * NS_PER_MS,
		.tick_ns = (uint64_t)request->job.tick_ms * NS_PER_MS,
	};
	error = address_parse(family, request->src, options->tuples.own, "src", fault);
	return error ? error
		     : address_parse(family, request->dst, options->tuples.peer, "dst", fault);
}

static int client_job(const struct connect_request *request, struct talk *talk, struct fault *fault)
{
	struct client_options options;
	int error = check_client(request, fault);

	if (!error)
		error = client_options(request, &options, fault);
	talk->needs |= SANDBOX_CONNECT;
	return error ? error : clients_run(&options, talk, (int)request->job.cpu, fault);
}

static int server_job(const struct connect_request *request, struct talk *talk, struct fault *fault)
{
	struct server_options options = {
		.family = (int)request->family,
		.port = (uint16_t)request->src_port,
		.ports = (unsigned int)request->src_ports,
		.connections = (unsigned int)request->connections,
		.ends = request->mode == MODE_CRR,
	};
	int error;

	if (request->dst || request->dst_port)
		return fault_set(fault, -EINVAL, request->dst ? "dst" : "dst_port",
				 "leave it out, or give peers", "a server has no peer");
	error = address_parse(options.family, request->src, options.own, "src", fault);
	if (!error)
		error = peers_parse(&options.peers, options.family, &request->peers, fault);
	return error ? error : servers_run(&options, talk, (int)request->job.cpu, fault);
}

static int connect_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct connect_request *request = given;
	int error = family_check(request->family, "family", fault);

	if (!error)
		error = check_ports(request, fault);
	if (error)
		return error;
	return request->role == ROLE_CLIENT ? client_job(request, talk, fault)
					    : server_job(request, talk, fault);
}

const struct verb verb_connect = {
	.name = "connect",
	.help = "one end of many TCP connections: opens and sends, or accepts and echoes",
	.keys = connect_keys,
	.request_bytes = sizeof(struct connect_request),
	.needs = SANDBOX_SOCKETS | SANDBOX_CHILDREN,
	.run = connect_run,
};
