// SPDX-License-Identifier: Apache-2.0
/*
 * The source's loop: blocks go round robin over the streams that take data. While one does, each
 * block costs one system call; the clock is looked at every few blocks, stdin every 10 ms.
 */
#include "stream/source.h"
#include "time/clock.h"

#include <errno.h>
#include <sys/socket.h>

#define LOOK_BYTES (256 << 10) /* written between two looks at the clock: 1 ms at 2 Gbit/s */
#define LOOK_WRITES 64

static void sample(struct source *source)
{
	struct streams *streams = &source->streams;

	for (unsigned int i = 0; i < streams->opened; i++) {
		const struct stream *stream = &streams->stream[i];

		info_read(stream->fd, &source->last[i]);
		source->acked[i] = info_acked(stream->fd, stream->bytes);
		info_add(&source->info, &source->last[i], (uint16_t)i, streams->now_ns,
			 source->acked[i]);
	}
}

/* Keeps to the grid t0 + k * sample_ns; what was missed is left out. */
static void sample_if_due(struct source *source)
{
	uint64_t now = source->streams.now_ns;

	if (now < source->due_ns)
		return;
	sample(source);
	source->due_ns += ((now - source->due_ns) / source->sample_ns + 1) * source->sample_ns;
}

static void begin(struct source *source)
{
	size_t block = source->streams.options.write_bytes;

	source->due_ns = source->streams.t0_ns;
	source->writes = block < LOOK_BYTES ? (unsigned int)(LOOK_BYTES / block) : 1;
	if (source->writes > LOOK_WRITES)
		source->writes = LOOK_WRITES;
}

/* True if it is over at now_ns; or -errno. */
static int look(struct source *source, struct fault *fault)
{
	struct streams *streams = &source->streams;

	if (streams->now_ns >= streams->end_ns)
		return 1;
	sample_if_due(source);
	return streams_look(streams, false, fault);
}

/* What a short write left of a block goes first, as with a blocking socket. */
static int write_block(struct streams *streams, struct stream *stream, struct fault *fault)
{
	const struct streams_options *options = &streams->options;
	size_t wanted = stream->left ? stream->left : options->write_bytes;
	const uint8_t *from = streams->block + (options->write_bytes - wanted);
	ssize_t taken = stream->ended ? 0 : send(stream->fd, from, wanted, MSG_NOSIGNAL);
	int error = taken < 0 ? -errno : 0;

	streams->calls++;
	if (stream->ended || (error && error != -EAGAIN && error != -EINTR)) {
		streams->now_ns = clock_now();
		return streams_broken(streams, stream, error, fault);
	}
	if (taken > 0) {
		stream->bytes += (uint64_t)taken;
		streams->bytes += (uint64_t)taken;
		wanted -= (size_t)taken;
	}
	stream->left = (uint32_t)wanted;
	if (wanted) {
		streams->short_calls++;
		streams_rest(streams);
	}
	return 0;
}

/* Blocks up to the next look at the clock, or one wait. */
static int write_some(struct source *source, struct fault *fault)
{
	struct streams *streams = &source->streams;
	uint64_t due = source->due_ns < streams->end_ns ? source->due_ns : streams->end_ns;

	for (unsigned int i = 0; i < source->writes; i++) {
		struct stream *stream = streams_next(streams, due);
		int error = stream ? write_block(streams, stream, fault) : 0;

		if (error || !stream)
			return error;
	}
	streams->now_ns = clock_now();
	return 0;
}

int source_run(struct source *source, struct fault *fault)
{
	int over;

	begin(source);
	while (!(over = look(source, fault))) {
		int error = write_some(source, fault);

		if (error)
			return error;
	}
	if (over < 0)
		return over;
	source->streams.t1_ns = source->streams.now_ns;
	sample(source);
	return 0;
}

static void report_streams(const struct source *source, struct line *line)
{
	const struct streams *streams = &source->streams;

	line_object(line, "stream");
	line_list(line, "bytes");
	for (unsigned int i = 0; i < streams->opened; i++)
		line_count(line, NULL, streams->stream[i].bytes);
	line_close(line, ']');
	line_list(line, "bytes_acked");
	for (unsigned int i = 0; i < streams->opened; i++)
		line_count(line, NULL, source->acked[i]);
	line_close(line, ']');
	line_list(line, "retransmits");
	for (unsigned int i = 0; i < streams->opened; i++)
		info_report_value(line, NULL, source->last[i].retransmits);
	line_close(line, ']');
	line_list(line, "mss_bytes");
	for (unsigned int i = 0; i < streams->opened; i++)
		info_report_value(line, NULL, source->last[i].send_mss);
	line_close(line, ']');
	line_close(line, '}');
}

void source_report(const struct source *source, struct line *line, uint64_t cpu_ns)
{
	const struct streams *streams = &source->streams;
	bool known = source->last[0].retransmits != INFO_UNKNOWN;
	uint64_t retransmits = 0;
	uint64_t acked = 0;

	for (unsigned int i = 0; i < streams->opened; i++) {
		acked += source->acked[i];
		retransmits += source->last[i].retransmits;
	}
	line_begin(line, "done");
	line_count(line, "t0_ns", streams->t0_ns);
	line_count(line, "t1_ns", streams->t1_ns);
	line_count(line, "bytes", streams->bytes);
	line_count(line, "bytes_acked", acked);
	line_count(line, "calls", streams->calls);
	line_count(line, "short_calls", streams->short_calls);
	line_count(line, "strangers", streams->strangers);
	line_count(line, "cpu_ns", cpu_ns);
	info_report_value(line, "mss_bytes", source->last[0].send_mss);
	line_integer(line, "retransmits", known ? (int64_t)retransmits : -1);
	report_streams(source, line);
	info_report(&source->info, line, "info");
	line_end(line);
}
