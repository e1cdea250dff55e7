// SPDX-License-Identifier: Apache-2.0
/*
 * capture: copies what crosses interfaces into a file or a pipe. A BPF program writes whole blocks
 * of pcapng into rings in memory, and this process looks into them now and then; where the kernel
 * has no BPF, AF_PACKET sockets hand the packets over.
 */
#include "capture/cost.h"
#include "capture/file.h"
#include "capture/filter.h"
#include "capture/packets.h"
#include "capture/rings.h"
#include "capture/tap.h"
#include "kernel/resident.h"
#include "kernel/slice.h"
#include "time/clock.h"
#include "verbs/verb.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLOCK_EACH_NS NS_PER_S /* the time of day may be set while the capture runs */
#define HALF_FULL 50 /* of 100: the next look comes before a ring is fuller, as it filled so far */

enum by { BY_AUTO, BY_BPF, BY_PACKET };

static const char *const by_names[] = { "auto", "bpf", "packet", NULL };
static const char *const format_names[] = { "pcapng", "pcap", NULL };
static const char *const way_names[] = { "in", "out", NULL };

struct capture_request {
	struct job job;
	struct texts devices;
	unsigned int ways; /* bits of way_names; none: both */
	int64_t snaplen;
	struct integers filter;
	int64_t memory_bytes;
	const char *file;
	int format, by;
	int64_t look_ms;
	int64_t rotate_bytes, rotate_s, keep;
	int64_t packets;
	int64_t duration_ms;
};

static const struct key capture_keys[] = {
	KEY(capture_request, devices, TEXTS, .required = true,
	    .help = "list of interfaces, 8 at most"),
	KEY(capture_request, file, TEXT, .required = true,
	    .help = "path of the file or pipe that the packets go to, or /dev/fd/N"),
	KEY(capture_request, ways, CHOICES, .choices = way_names,
	    .help = "in, out, or both, which is what is captured if it is left out"),
	KEY(capture_request, snaplen, INTEGER, .preset = CAPTURE_SNAPLEN_MOST,
	    .min = CAPTURE_SNAPLEN_LEAST, .max = CAPTURE_SNAPLEN_MOST,
	    .help = "bytes of each packet that are kept"),
	KEY(capture_request, filter, INTEGERS, .min = 0, .max = UINT32_MAX,
	    .help = "classic BPF as tcpdump -i DEVICE -ddd prints it, four numbers an instruction"),
	KEY(capture_request, memory_bytes, INTEGER, .min = 256 << 10, .max = 1 << 30,
	    .help = "of all rings together, at most; if left out, 4 MiB, or what the CPUs need"),
	KEY(capture_request, format, CHOICE, .choices = format_names, .help = "pcapng or pcap"),
	KEY(capture_request, by, CHOICE, .choices = by_names,
	    .help = "bpf, packet, or auto: the first that works"),
	KEY(capture_request, look_ms, INTEGER, .preset = 20, .min = 1, .max = 10000,
	    .help = "between two looks into the rings"),
	KEY(capture_request, rotate_bytes, INTEGER, .max = INT64_MAX,
	    .help = "a new file after so many bytes; 0: never"),
	KEY(capture_request, rotate_s, INTEGER, .max = 1000000,
	    .help = "a new file after so many seconds; 0: never"),
	KEY(capture_request, keep, INTEGER, .max = 1000000,
	    .help = "files that are kept, the newest; 0: all"),
	KEY(capture_request, packets, INTEGER, .max = INT64_MAX,
	    .help = "end after so many, or a few more; 0: no bound"),
	KEY(capture_request, duration_ms, INTEGER, .max = INT64_MAX / 1000000,
	    .help = "end after so long; 0: no bound"),
	{ 0 },
};

struct capture_job {
	const struct capture_request *request;
	struct talk *talk;
	struct capture_file file;
	struct filter filter;
	struct filter_prefix prefix;
	struct rings rings;
	struct tap tap;
	struct packets packets;
	int resident, timing; /* descriptors */
	struct cost cost; /* of the hooks, which are gone at the last report */
	bool by_bpf;
	char passed_over[sizeof(((struct fault *)0)->reason)]; /* why BPF was */
};

/* What the source counts: of packets that the filter wants. */
struct seen {
	uint64_t captured, bytes, dropped;
};

static void close_bpf(struct capture_job *job)
{
	tap_close(&job->tap);
	rings_close(&job->rings);
	if (job->timing >= 0)
		close(job->timing);
	job->timing = -1;
}

static int open_bpf(struct capture_job *job, struct fault *fault)
{
	int error;

	bpf_allow_memory();
	error = rings_open(&job->rings, (uint64_t)job->request->memory_bytes,
			   job->file.kind.snaplen, fault);
	if (!error)
		error = tap_open(&job->tap, fault);
	if (!error) {
		/* Who watches wants to know; timing costs some of what it times. */
		job->timing = job->request->job.tick_ms ? cost_open() : -1;
		return 0;
	}
	close_bpf(job);
	return error;
}

/* On MIPS 24Kc an interpreter takes 1.4 times the instructions of a packet socket. */
static int refuse_interpreter(struct capture_job *job, struct fault *fault)
{
	if (tap_is_compiled(&job->tap))
		return 0;
	close_bpf(job);
	return fault_set(fault, -EOPNOTSUPP, "by", "say \"bpf\" to have it all the same",
			 "this kernel interprets BPF, which takes longer than a packet socket");
}

/* auto: the second source where the first does not open; an old kernel says EINVAL as well. */
static int open_source(struct capture_job *job, struct fault *fault)
{
	int by = job->request->by;
	int error = by == BY_PACKET ? -ENOSYS : open_bpf(job, fault);

	if (!error && by == BY_AUTO)
		error = refuse_interpreter(job, fault);
	job->by_bpf = !error;
	if (!error || by == BY_BPF)
		return error;
	if (by == BY_AUTO)
		memcpy(job->passed_over, fault->reason, sizeof(job->passed_over));
	return packets_open(&job->packets, fault);
}

static struct seen count(struct capture_job *job)
{
	if (job->by_bpf) {
		struct rings_count rings = rings_count(&job->rings);

		return (struct seen){ rings.captured, rings.bytes, rings.full };
	}
	packets_count(&job->packets);
	return (struct seen){ job->packets.captured, job->packets.bytes, job->packets.dropped };
}

static void drain(struct capture_job *job)
{
	if (job->by_bpf)
		rings_drain(&job->rings, &job->file);
	else
		packets_drain(&job->packets, &job->file);
}

static void report_cost(struct line *line, const struct cost *cost)
{
	line_object(line, "path");
	line_count(line, "ns", cost->ns);
	line_count(line, "packets", cost->packets);
	line_close(line, '}');
}

static void report(struct capture_job *job, const char *event)
{
	struct line *line = &job->talk->line;
	struct seen seen = count(job);

	line_begin(line, event);
	line_count(line, "t_ns", clock_now());
	line_count(line, "captured", seen.captured);
	line_count(line, "bytes", seen.bytes);
	line_count(line, "written", seen.captured - job->file.lost);
	line_object(line, "drops");
	line_count(line, job->by_bpf ? "ring" : "kernel", seen.dropped);
	line_count(line, "file", job->file.lost);
	line_close(line, '}');
	line_count(line, "file_bytes", job->file.bytes);
	line_count(line, "files", job->file.number);
	line_count(line, "cpu_ns", clock_cpu());
	line_count(line, "resident_bytes", resident_bytes(job->resident));
	report_cost(line, &job->cost);
	if (job->file.error)
		line_text(line, "error", strerror(-job->file.error));
	line_end(line);
}

static bool enough(struct capture_job *job, uint64_t until_ns)
{
	const struct capture_request *request = job->request;

	if (job->file.error == -EPIPE)
		return true; /* the reader has gone */
	if (request->packets && count(job).captured >= (uint64_t)request->packets)
		return true;
	return clock_now() >= until_ns;
}

/* Looks, and says when to look again: `since_ns` is the time of the look before. */
static uint64_t look(struct capture_job *job, uint64_t since_ns)
{
	uint64_t longest = (uint64_t)job->request->look_ms * NS_PER_MS;
	uint64_t now = clock_now(), half = longest;
	unsigned int fullness = job->by_bpf ? rings_fullness(&job->rings) : 0;

	if (fullness)
		half = (now - since_ns) * HALF_FULL / fullness;
	drain(job);
	return now + (half < longest ? half : longest);
}

static void time_path(struct capture_job *job)
{
	if (job->timing >= 0)
		job->cost = cost_read(&job->tap.hooks);
}

static void look_until_over(struct capture_job *job)
{
	const struct capture_request *request = job->request;
	uint64_t begin_ns = clock_now(), tick = (uint64_t)request->job.tick_ms * NS_PER_MS;
	uint64_t tick_ns = tick ? begin_ns + tick : UINT64_MAX, clock_ns = begin_ns;
	uint64_t look_ns = begin_ns, next_ns = begin_ns;
	uint64_t until_ns = request->duration_ms
				    ? begin_ns + (uint64_t)request->duration_ms * NS_PER_MS
				    : UINT64_MAX;

	while (!talk_over(job->talk) && !enough(job, until_ns)) {
		talk_sleep_until(job->talk, next_ns);
		next_ns = look(job, look_ns);
		look_ns = clock_now();
		if (clock_now() >= tick_ns) {
			time_path(job);
			report(job, "tick");
			tick_ns += tick;
		}
		if (job->by_bpf && clock_now() - clock_ns >= CLOCK_EACH_NS) {
			rings_set_clock(&job->rings);
			clock_ns = clock_now();
		}
	}
}

/* What came until the hooks were gone is written too. */
static void finish(struct capture_job *job)
{
	time_path(job);
	if (job->by_bpf)
		tap_close(&job->tap);
	else /* a sleep on stdin would end at once where that is closed */
		clock_sleep_until(clock_now() + NS_PER_MS * PACKETS_RETIRE_MS * 2);
	drain(job);
	drain(job);
	report(job, "done");
}

static int prepare(struct capture_job *job, struct fault *fault)
{
	const struct capture_request *request = job->request;
	unsigned int ways = request->ways ? request->ways : HOOKS_IN | HOOKS_OUT;
	int error = filter_read(&job->filter, &request->filter, fault);

	if (!error)
		error = tap_describe(&request->devices, ways, &job->file.kind, fault);
	if (!error)
		error = format_check(&job->file.kind, fault);
	if (!error && filter_translate(&job->filter, &job->prefix))
		error = fault_system(fault, -ENOMEM, "filter", "translating the filter");
	job->tap.ways = job->packets.ways = ways;
	if (!error)
		error = open_source(job, fault);
	return error ? error : capture_file_open(&job->file, fault);
}

static int work(struct capture_job *job, struct fault *fault)
{
	struct line *line = &job->talk->line;
	int error = prepare(job, fault);

	if (error)
		return error;
	slice_shorten(); /* while packets come as fast as they can, the rings fill in milliseconds */
	talk_ready(job->talk, NULL, (int)job->request->job.cpu);
	line_text(line, "by", by_names[job->by_bpf ? BY_BPF : BY_PACKET]);
	if (job->passed_over[0])
		line_text(line, "passed_over", job->passed_over);
	line_count(line, "memory_bytes",
		   job->by_bpf ? (uint64_t)job->rings.map.value_bytes * job->rings.count
			       : (uint64_t)job->request->memory_bytes);
	line_end(line);
	error = talk_start(job->talk, fault);
	if (error)
		return error;
	look_until_over(job);
	finish(job);
	return 0;
}

static int capture_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct capture_request *request = given;
	struct capture_job job = {
		.request = request,
		.talk = talk,
		.resident = resident_open(),
		.file = { .path = request->file,
			  .kind = { .format = (enum capture_format)request->format,
				    .snaplen = (uint32_t)request->snaplen },
			  .rotate_bytes = (uint64_t)request->rotate_bytes,
			  .rotate_ns = (uint64_t)request->rotate_s * NS_PER_S,
			  .keep = (uint64_t)request->keep,
			  .fd = -1 },
		.rings.map.fd = -1,
		.timing = -1,
		.tap = { .devices = &request->devices, .snaplen = (uint32_t)request->snaplen },
		.packets = { .devices = &request->devices,
			     .snaplen = (uint32_t)request->snaplen,
			     .memory_bytes = request->memory_bytes ? (uint64_t)request->memory_bytes
								   : RINGS_PRESET_BYTES },
	};
	int error;

	job.tap.filter = &job.prefix;
	job.tap.rings = &job.rings;
	job.packets.filter = &job.filter;
	error = work(&job, fault);
	close_bpf(&job);
	if (job.packets.block)
		packets_close(&job.packets);
	capture_file_close(&job.file);
	if (job.resident >= 0)
		close(job.resident);
	filter_release(&job.filter);
	filter_prefix_release(&job.prefix);
	return error;
}

const struct verb verb_capture = {
	.name = "capture",
	.help = "copies what crosses interfaces into a file or a pipe",
	.keys = capture_keys,
	.request_bytes = sizeof(struct capture_request),
	.needs = SANDBOX_FILES | SANDBOX_NETLINK | SANDBOX_DEVICES | SANDBOX_SOCKETS |
		 SANDBOX_TIMES,
	.run = capture_run,
};
