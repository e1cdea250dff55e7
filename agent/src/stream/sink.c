// SPDX-License-Identifier: Apache-2.0
/*
 * The sink's loop. Every read is stamped; a stream that gave less than requested is empty, and
 * is read again when the kernel reports data.
 */
#include "stream/sink.h"
#include "stream/info.h"
#include "time/clock.h"

#include <errno.h>
#include <sys/socket.h>

#define EARLY_NS (200 * NS_PER_MS) /* the source's clock may run faster: an hour of 50 ppm */
#define DRAIN_NS (3000 * NS_PER_MS) /* a byte a read takes that long on a slow, busy host */

/* The source starts after the sink, so it ends after the sink's own end_ns too. */
static int note_end(struct streams *streams, const struct stream *stream, int error,
		    struct fault *fault)
{
	if (streams->now_ns + EARLY_NS < streams->end_ns)
		return streams_broken(streams, stream, error, fault);
	streams_end(streams);
	return 0;
}

static int read_block(struct stream_sink *sink, struct stream *stream, struct fault *fault)
{
	struct streams *streams = &sink->streams;
	size_t wanted = streams->options.write_bytes;
	ssize_t got = recv(stream->fd, streams->block, wanted, 0);
	int error = got < 0 ? -errno : 0;

	streams->calls++;
	streams->now_ns = clock_now();
	if (error == -EAGAIN || error == -EINTR) {
		streams_rest(streams);
		return 0;
	}
	if (got <= 0)
		return note_end(streams, stream, error, fault);
	stream->bytes += (uint64_t)got;
	streams->bytes += (uint64_t)got;
	bins_add(&sink->rate, streams->now_ns, (uint64_t)got);
	if (!sink->first_ns)
		sink->first_ns = streams->now_ns;
	sink->last_ns = streams->now_ns;
	if ((size_t)got < wanted)
		streams_rest(streams);
	return 0;
}

/* The source ends after its duration, even if its reset is lost on the way. */
static bool may_be_silent(const struct streams *streams)
{
	return !streams->alive || (streams->bytes && streams->now_ns >= streams->end_ns);
}

/*
 * What the kernel has taken is acknowledged, so it counts, up to the last byte. A stream that the
 * source ends meanwhile was not ended too soon: the laboratory ends both.
 */
static int drain(struct stream_sink *sink, struct fault *fault)
{
	struct streams *streams = &sink->streams;
	uint64_t until = streams->now_ns + DRAIN_NS;

	streams->look_ns = 0; /* do not wait */
	streams->end_ns = 0;
	while (streams->alive && streams->now_ns < until) {
		struct stream *stream = streams_next(streams, 0);
		int error = stream ? read_block(sink, stream, fault) : 0;

		if (error || !stream)
			return error;
	}
	return 0;
}

int stream_sink_run(struct stream_sink *sink, struct fault *fault)
{
	struct streams *streams = &sink->streams;
	int over;

	sink->rate.t0_ns = streams->t0_ns;
	while (!(over = streams_look(streams, may_be_silent(streams), fault))) {
		struct stream *stream = streams_next(streams, UINT64_MAX);
		int error = stream ? read_block(sink, stream, fault) : 0;

		if (error)
			return error;
	}
	return over < 0 ? over : drain(sink, fault);
}

void stream_sink_report(const struct stream_sink *sink, struct line *line, uint64_t cpu_ns)
{
	const struct streams *streams = &sink->streams;
	struct info_state state;

	info_read(streams->stream[0].fd, &state);
	line_begin(line, "done");
	line_count(line, "bytes", streams->bytes);
	line_count(line, "first_ns", sink->first_ns);
	line_count(line, "last_ns", sink->last_ns);
	line_count(line, "calls", streams->calls);
	line_count(line, "strangers", streams->strangers);
	line_count(line, "cpu_ns", cpu_ns);
	info_report_value(line, "mss_bytes", state.receive_mss);
	line_object(line, "stream");
	line_list(line, "bytes");
	for (unsigned int i = 0; i < streams->opened; i++)
		line_count(line, NULL, streams->stream[i].bytes);
	line_close(line, ']');
	line_close(line, '}');
	bins_report(&sink->rate, line, "rate", "bytes");
	line_end(line);
}
