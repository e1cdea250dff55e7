// SPDX-License-Identifier: Apache-2.0
/*
 * stream: one end of TCP connections that carry bytes one way, as fast as they take it. The keys
 * of the request; src/stream/ does the work.
 */
#include "frame/address.h"
#include "frame/mark.h"
#include "stream/endpoint.h"
#include "stream/open.h"
#include "stream/sink.h"
#include "stream/source.h"
#include "time/clock.h"
#include "verbs/verb.h"

#include <errno.h>
#include <stdlib.h>

#define BINS_MAX 1000000 /* 8 MiB */
#define LATE_MS 10000 /* bins beyond the duration: the source starts after the sink */

enum role { ROLE_SOURCE, ROLE_SINK };
enum opening { OPEN_LISTEN, OPEN_CONNECT };

struct stream_request {
	struct job job;
	int role, open;
	const char *device;
	int64_t family;
	const char *src, *dst;
	struct texts peers;
	int64_t src_port, dst_port;
	int64_t streams;
	int64_t write_bytes;
	int64_t socket_buffer_bytes;
	const char *congestion;
	int64_t dscp;
	int64_t duration_ms;
	int64_t stall_ms;
	int64_t bin_ms;
	int64_t sample_ms;
};

static const char *const role_names[] = { "source", "sink", NULL };
static const char *const open_names[] = { "listen", "connect", NULL };

static const struct key stream_keys[] = {
	KEY(stream_request, role, CHOICE, .required = true, .choices = role_names,
	    .help = "source: writes; sink: reads"),
	KEY(stream_request, open, CHOICE, .required = true, .choices = open_names,
	    .help = "listen or connect: who opens the connections"),
	KEY(stream_request, device, TEXT, .help = "bind the sockets to this interface"),
	KEY(stream_request, family, INTEGER, .required = true, .min = 4, .max = 6,
	    .help = "4 or 6"),
	KEY(stream_request, src, TEXT, .required = true, .help = "own address"),
	KEY(stream_request, dst, TEXT, .help = "the peer's address; connect only"),
	KEY(stream_request, peers, TEXTS,
	    .help = "addresses whose connections are taken; none: any; listen only"),
	KEY(stream_request, src_port, INTEGER, .required = true, .min = 1, .max = 65535,
	    .help = "own port; connect binds stream i to src_port + i"),
	KEY(stream_request, dst_port, INTEGER, .min = 1, .max = 65535,
	    .help = "the peer's port; connect only"),
	KEY(stream_request, streams, INTEGER, .preset = 1, .min = 1, .max = STREAMS_MAX,
	    .help = "connections"),
	KEY(stream_request, write_bytes, INTEGER, .preset = 131072, .min = 1, .max = 1 << 24,
	    .help = "of a send(), or of a recv() at the sink"),
	KEY(stream_request, socket_buffer_bytes, INTEGER, .max = 1 << 30,
	    .help = "SO_SNDBUF of a source, SO_RCVBUF of a sink; 0: the kernel tunes it"),
	KEY(stream_request, congestion, TEXT, .help = "congestion control; cubic if left out"),
	KEY(stream_request, dscp, INTEGER, .max = MARK_MOST, .help = "code point of the packets"),
	KEY(stream_request, duration_ms, INTEGER, .required = true, .min = 1, .max = 3600000,
	    .help = "how long the source writes"),
	KEY(stream_request, stall_ms, INTEGER, .preset = 5000, .min = 100, .max = 600000,
	    .help = "give up when nothing has moved for so long"),
	KEY(stream_request, bin_ms, INTEGER, .preset = 10, .min = 1, .max = 10000,
	    .help = "bin of the bytes over time at a sink"),
	KEY(stream_request, sample_ms, INTEGER, .preset = 100, .min = 10, .max = 60000,
	    .help = "how often a source asks TCP_INFO of every stream"),
	{ 0 },
};

/* The end that connects needs a peer; at the end that listens a peer would be ignored. */
static int check_peer(const struct stream_request *request, struct fault *fault)
{
	bool connects = request->open == OPEN_CONNECT;

	if (connects && !request->dst)
		return fault_set(fault, -EINVAL, "dst", "give the listener's address",
				 "the end that connects needs a peer");
	if (connects && !request->dst_port)
		return fault_set(fault, -EINVAL, "dst_port", "give the listener's port",
				 "the end that connects needs a peer");
	if (!connects && (request->dst || request->dst_port))
		return fault_set(fault, -EINVAL, request->dst ? "dst" : "dst_port",
				 "leave it out, or give peers", "the end that listens has no peer");
	if (connects && request->peers.count)
		return fault_set(fault, -EINVAL, "peers", "leave it out, or listen",
				 "the end that connects takes no connections");
	if (connects && request->src_port + request->streams > 65536)
		return fault_set(fault, -EINVAL, "src_port", "begin with a lower port",
				 "%lld streams from port %lld on end beyond 65535",
				 (long long)request->streams, (long long)request->src_port);
	return 0;
}

static uint64_t bins_of(const struct stream_request *request)
{
	return (uint64_t)((request->duration_ms + LATE_MS) / request->bin_ms + 1);
}

static uint64_t rows_of(const struct stream_request *request)
{
	return info_rows((uint64_t)request->duration_ms, (uint64_t)request->sample_ms,
			 (uint64_t)request->streams);
}

static int check_memory(const struct stream_request *request, struct fault *fault)
{
	uint64_t rows = rows_of(request);
	uint64_t bins = bins_of(request);

	if (request->role == ROLE_SOURCE && rows > INFO_ROWS_MAX)
		return fault_set(fault, -EINVAL, "sample_ms",
				 "sample less often; 1000000 rows are the most",
				 "samples every %lld ms of %lld streams are %llu rows",
				 (long long)request->sample_ms, (long long)request->streams,
				 (unsigned long long)rows);
	if (request->role == ROLE_SINK && bins > BINS_MAX)
		return fault_set(fault, -EINVAL, "bin_ms",
				 "make the bins wider; 1000000 of them are the most",
				 "%lld ms in bins of %lld ms are %llu bins",
				 (long long)request->duration_ms, (long long)request->bin_ms,
				 (unsigned long long)bins);
	return 0;
}

static int options_of(const struct stream_request *request, struct streams_options *options,
		      struct fault *fault)
{
	int error;

	*options = (struct streams_options){
		.source = request->role == ROLE_SOURCE,
		.listens = request->open == OPEN_LISTEN,
		.device = request->device,
		.family = (int)request->family,
		.peer_text = request->dst,
		.own_port = (uint16_t)request->src_port,
		.peer_port = (uint16_t)request->dst_port,
		.count = (unsigned int)request->streams,
		.write_bytes = (size_t)request->write_bytes,
		.buffer_bytes = (int)request->socket_buffer_bytes,
		.congestion = request->congestion ? request->congestion : "cubic",
		.mark = (uint8_t)request->dscp,
		.duration_ns = (uint64_t)request->duration_ms * NS_PER_MS,
		.stall_ns = (uint64_t)request->stall_ms * NS_PER_MS,
		.tick_ns = (uint64_t)request->job.tick_ms * NS_PER_MS,
	};
	error = address_parse(options->family, request->src, options->own, "src", fault);
	if (!error && request->dst)
		error = address_parse(options->family, request->dst, options->peer, "dst", fault);
	return error ? error
		     : peers_parse(&options->peers, options->family, &request->peers, fault);
}

/* Opens the streams, reports ready, and waits for start. */
static int begin(struct streams *streams, const struct stream_request *request, struct talk *talk,
		 struct fault *fault)
{
	char name[ENDPOINT_NAME];
	struct streams_options options;
	int error = options_of(request, &options, fault);

	if (!error)
		error = streams_open(streams, &options, talk, fault);
	if (error)
		return error;
	talk_ready(talk, NULL, (int)request->job.cpu);
	line_text(&talk->line, "congestion", endpoint_congestion(streams, name));
	line_integer(&talk->line, "socket_buffer_bytes", endpoint_buffer(streams));
	line_end(&talk->line);
	return streams_start(streams, fault);
}

static int source_job(const struct stream_request *request, struct talk *talk, struct fault *fault)
{
	struct source *source = calloc(1, sizeof(*source));
	uint64_t cpu_ns;
	int error;

	if (!source)
		return fault_system(fault, -ENOMEM, NULL, "the source");
	streams_clear(&source->streams);
	source->sample_ns = (uint64_t)request->sample_ms * NS_PER_MS;
	error = info_open(&source->info, (size_t)rows_of(request));
	if (error)
		fault_system(fault, error, "sample_ms", "memory for the samples");
	else
		error = begin(&source->streams, request, talk, fault);
	if (!error) {
		cpu_ns = clock_cpu();
		error = source_run(source, fault);
		cpu_ns = clock_cpu() - cpu_ns;
	}
	streams_close(&source->streams);
	if (!error)
		source_report(source, &talk->line, cpu_ns);
	info_close(&source->info);
	free(source);
	return error;
}

static int sink_job(const struct stream_request *request, struct talk *talk, struct fault *fault)
{
	struct stream_sink *sink = calloc(1, sizeof(*sink));
	uint64_t cpu_ns;
	int error;

	if (!sink)
		return fault_system(fault, -ENOMEM, NULL, "the sink");
	streams_clear(&sink->streams);
	error = bins_open(&sink->rate, (size_t)bins_of(request),
			  (uint64_t)request->bin_ms * NS_PER_MS);
	if (error)
		fault_system(fault, error, "bin_ms", "memory for the bins");
	else
		error = begin(&sink->streams, request, talk, fault);
	if (!error) {
		cpu_ns = clock_cpu();
		error = stream_sink_run(sink, fault);
		cpu_ns = clock_cpu() - cpu_ns;
	}
	if (!error)
		stream_sink_report(sink, &talk->line, cpu_ns);
	streams_close(&sink->streams);
	bins_close(&sink->rate);
	free(sink);
	return error;
}

static int stream_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct stream_request *request = given;
	int error = family_check(request->family, "family", fault);

	if (!error)
		error = check_peer(request, fault);
	if (!error)
		error = check_memory(request, fault);
	if (error)
		return error;
	return request->role == ROLE_SOURCE ? source_job(request, talk, fault)
					    : sink_job(request, talk, fault);
}

const struct verb verb_stream = {
	.name = "stream",
	.help = "one end of TCP streams: writes as fast as they take it, or reads",
	.keys = stream_keys,
	.request_bytes = sizeof(struct stream_request),
	.needs = SANDBOX_SOCKETS,
	.run = stream_run,
};
