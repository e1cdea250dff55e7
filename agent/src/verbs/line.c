// SPDX-License-Identifier: Apache-2.0
/*
 * line: an emulated access line between two interfaces, transparent at L2, until stdin is closed.
 * A thread a way (relay/relay.h), from ready on. For hosts of the tester alone: an agent for devices
 * of 8 MiB is without it.
 */
#include "verbs/verb.h"

#if defined(__x86_64__) || defined(__aarch64__)

#include "relay/relay.h"
#include "time/clock.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WAYS 2

struct way_request {
	int64_t rate_bps, buffer_packets, buffer_bytes, fixed_ns, loss_ppb, overhead_bytes;
	int aqm; /* enum aqm */
	bool atm;
};

struct line_request {
	struct job job;
	const char *gateway_device, *wan_device;
	struct way_request up, down;
	struct integers up_steps, down_steps;
	int64_t up_period_us, down_period_us;
	int64_t seed, spin_us, priority;
};

static const char *const aqm_names[] = { "fifo", "head", "codel", NULL };

static const struct key way_keys[] = {
	KEY(way_request, rate_bps, INTEGER, .required = true, .max = SERIAL_RATE_MOST_BPS,
	    .help = "bit/s of the line, up to 10^11; 0: as fast as it goes"),
	KEY(way_request, buffer_packets, INTEGER, .max = 1000000,
	    .help = "frames that wait at most; 0: no bound of frames"),
	KEY(way_request, buffer_bytes, INTEGER, .max = 1 << 27,
	    .help = "bytes that wait at most; 0: no bound of bytes"),
	KEY(way_request, fixed_ns, INTEGER, .max = 10 * (int64_t)NS_PER_S,
	    .help = "delay behind the line, up to 10 s"),
	KEY(way_request, loss_ppb, INTEGER, .max = 1000000000,
	    .help = "frames lost behind the queue, in 10^9"),
	KEY(way_request, aqm, CHOICE, .choices = aqm_names,
	    .help = "who goes at a full buffer: fifo: what comes; head: the oldest; codel: RFC "
		    "8289"),
	KEY(way_request, overhead_bytes, INTEGER, .min = -SERIAL_OVERHEAD_MOST,
	    .max = SERIAL_OVERHEAD_MOST, .help = "added to each frame without check sequence"),
	KEY(way_request, atm, FLAG, .help = "true: in cells of 53 bytes for 48"),
	{ 0 },
};

static const struct key line_keys[] = {
	KEY(line_request, gateway_device, TEXT, .required = true,
	    .help = "interface to the gateway; up goes from here"),
	KEY(line_request, wan_device, TEXT, .required = true, .help = "interface to the WAN host"),
	KEY(line_request, up, OBJECT, .required = true, .keys = way_keys,
	    .help = "the way to the WAN host: an object, see below"),
	KEY(line_request, down, OBJECT, .required = true, .keys = way_keys,
	    .help = "the way to the gateway: an object, see below"),
	KEY(line_request, up_steps, INTEGERS, .max = INT32_MAX,
	    .help = "rate and delay by the clock, three numbers a step: us from begin on, kbit/s, "
		    "us more delay"),
	KEY(line_request, down_steps, INTEGERS, .max = INT32_MAX, .help = "the same of down"),
	KEY(line_request, up_period_us, INTEGER, .max = INT32_MAX,
	    .help = "after which up_steps begin anew"),
	KEY(line_request, down_period_us, INTEGER, .max = INT32_MAX,
	    .help = "after which down_steps begin anew"),
	KEY(line_request, seed, INTEGER, .preset = 1, .max = INT64_MAX,
	    .help = "which frames are lost by chance"),
	KEY(line_request, spin_us, INTEGER, .preset = 120, .max = 1000,
	    .help = "so long before a departure it spins"),
	KEY(line_request, priority, INTEGER, .preset = 50, .max = 99,
	    .help = "of SCHED_FIFO; 0: stays in its class"),
	{ 0 },
};

struct access_line {
	const struct line_request *request;
	struct talk *talk;
	struct relay relay[WAYS]; /* up, down */
	struct course_step *step[WAYS]; /* NULL: it stays as it is */
	uint64_t cpu_from_ns;
	char unscheduled[80]; /* why it is in no real-time class */
};

static const char *const way_names[WAYS] = { "up", "down" };

static int set_way(struct relay *relay, const struct way_request *way, const char *name,
		   uint64_t seed, struct fault *fault)
{
	relay->options = (struct schedule_options){
		.rate_bps = (uint64_t)way->rate_bps,
		.buffer_packets = (uint64_t)way->buffer_packets,
		.buffer_bytes = (uint64_t)way->buffer_bytes,
		.fixed_ns = (uint64_t)way->fixed_ns,
		.loss_ppb = (uint32_t)way->loss_ppb,
		.seed = seed,
		.aqm = (enum aqm)way->aqm,
		.overhead_bytes = (int32_t)way->overhead_bytes,
		.atm = way->atm,
	};
	if (way->buffer_packets || way->buffer_bytes)
		return 0;
	return fault_set(fault, -EINVAL, name, "give buffer_packets or buffer_bytes, or both",
			 "the buffer has no bound");
}

static int refuse_steps(const char *key, const char *why, struct fault *fault)
{
	return fault_set(fault, -EINVAL, key, "give steps of three numbers, and the period in us",
			 "%s", why);
}

static const char *wrong_step(const struct course_step *step, bool first)
{
	if (step->rate_bps && step->rate_bps < COURSE_RATE_LEAST_BPS)
		return "a rate is below 1 kbit/s";
	if (first && step->from_ns)
		return "the first step is not at 0";
	if (first && !step->rate_bps)
		return "the first step has no rate";
	if (!first && step->from_ns <= step[-1].from_ns)
		return "a step is not after the one before";
	return NULL;
}

/* Each number is checked; the caller frees *step in either case. */
static int set_course(struct relay *relay, struct course_step **step, const struct integers *list,
		      int64_t period_us, const char *key, struct fault *fault)
{
	const char *wrong = NULL;

	if (!list->count)
		return period_us ? refuse_steps(key, "there is a period, and no step", fault) : 0;
	if (list->count % 3)
		return refuse_steps(key, "the numbers are no triples", fault);
	*step = calloc(list->count / 3, sizeof(**step));
	if (!*step)
		return fault_system(fault, -ENOMEM, key, "the steps");
	relay->options.step = *step;
	relay->options.period_ns = (uint64_t)period_us * NS_PER_US;
	for (size_t i = 0; i < list->count && !wrong; i += 3) {
		struct course_step *own = *step + relay->options.steps++;

		own->from_ns = (uint32_t)list->item[i] * NS_PER_US;
		own->rate_bps = (uint64_t)(uint32_t)list->item[i + 1] * 1000;
		own->fixed_ns = (uint32_t)list->item[i + 2] * NS_PER_US;
		wrong = wrong_step(own, !i);
		if (own->from_ns >= relay->options.period_ns)
			wrong = "a step is not within the period";
	}
	if (relay->options.period_ns < COURSE_PERIOD_LEAST_NS)
		wrong = "the period is below 1000 us";
	return wrong ? refuse_steps(key, wrong, fault) : 0;
}

static int set_courses(struct access_line *line, struct fault *fault)
{
	const struct line_request *request = line->request;
	int error = set_course(&line->relay[0], &line->step[0], &request->up_steps,
			       request->up_period_us, "up_steps", fault);

	if (!error)
		error = set_course(&line->relay[1], &line->step[1], &request->down_steps,
				   request->down_period_us, "down_steps", fault);
	return error;
}

/* The ways have chances of their own: even and odd seeds. */
static int set_ways(struct access_line *line, struct fault *fault)
{
	const struct line_request *request = line->request;
	uint64_t seed = 2 * (uint64_t)request->seed;
	int error = set_way(&line->relay[0], &request->up, way_names[0], seed, fault);

	if (!error)
		error = set_way(&line->relay[1], &request->down, way_names[1], seed + 1, fault);
	return error;
}

static int find_devices(struct access_line *line, struct fault *fault)
{
	const struct line_request *request = line->request;
	struct relay *up = &line->relay[0];
	struct relay *down = &line->relay[1];
	int error = device_find(&up->from, request->gateway_device, 1, "gateway_device", fault);

	if (!error)
		error = device_find(&up->to, request->wan_device, 1, "wan_device", fault);
	if (error)
		return error;
	if (up->from.index == up->to.index)
		return fault_set(fault, -EINVAL, "wan_device", "name two interfaces",
				 "both ends of the line are %s", request->wan_device);
	down->from = up->to;
	down->to = up->from;
	up->from_key = down->to_key = "gateway_device";
	up->to_key = down->from_key = "wan_device";
	return 0;
}

/* By system calls, since musl's functions return ENOSYS. The threads inherit it. */
static void rise(struct access_line *line)
{
	struct sched_param own = { .sched_priority = (int)line->request->priority };

	if (!own.sched_priority || !syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &own))
		return;
	snprintf(line->unscheduled, sizeof(line->unscheduled), "not in the class SCHED_FIFO: %.40s",
		 strerror(errno));
}

/* Below its threads, so that a report keeps no frame waiting. */
static void step_back(const struct access_line *line)
{
	struct sched_param own = { .sched_priority = (int)line->request->priority - 1 };

	if (own.sched_priority > 0 && !*line->unscheduled)
		syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &own);
}

static int open_ways(struct access_line *line, struct fault *fault)
{
	int error = set_ways(line, fault);

	if (!error)
		error = set_courses(line, fault);
	if (!error)
		error = find_devices(line, fault);
	for (int i = 0; i < WAYS && !error; i++) {
		line->relay[i].spin_ns = (uint64_t)line->request->spin_us * NS_PER_US;
		error = relay_open(&line->relay[i], way_names[i], fault);
	}
	return error;
}

static int run_ways(struct access_line *line, struct fault *fault)
{
	for (int i = 0; i < WAYS; i++) {
		int error = relay_run(&line->relay[i]);

		if (error)
			return fault_system(fault, error, way_names[i], "beginning a thread");
	}
	return 0;
}

static void ask_ways(struct access_line *line, enum relay_ask ask)
{
	for (int i = 0; i < WAYS; i++)
		relay_ask(&line->relay[i], ask);
}

static void begin(struct access_line *line)
{
	ask_ways(line, RELAY_BEGIN);
	line->cpu_from_ns = clock_cpu();
	line_begin(&line->talk->line, "begin");
	line_count(&line->talk->line, "t_ns", clock_now());
	line_end(&line->talk->line);
}

static void report_notes(const struct access_line *line, struct line *out)
{
	uint64_t unfinished = line->relay[0].copy_unfinished + line->relay[1].copy_unfinished;
	char note[100];

	line_list(out, "notes");
	if (*line->unscheduled)
		line_text(out, NULL, line->unscheduled);
	if (unfinished) {
		snprintf(note, sizeof(note), "%llu frames came with unfinished checksums",
			 (unsigned long long)unfinished);
		line_text(out, NULL, note);
	}
	line_close(out, ']');
}

/* Both threads see the same clock: the greater sum is the one that missed no step. */
static uint64_t stepped_ns(const struct access_line *line)
{
	uint64_t up = line->relay[0].copy_stepped_ns;
	uint64_t down = line->relay[1].copy_stepped_ns;

	return up > down ? up : down;
}

static void report(struct access_line *line, enum relay_ask ask)
{
	struct line *out = &line->talk->line;
	uint64_t cpu_ns;

	ask_ways(line, ask);
	cpu_ns = clock_cpu() - line->cpu_from_ns;
	line_begin(out, "done");
	line_count(out, "t_ns", clock_now());
	for (int i = 0; i < WAYS; i++) {
		const struct relay *relay = &line->relay[i];

		books_report(relay->copy, relay->inside, -relay->apart_ns, out, way_names[i]);
	}
	line_count(out, "cpu_ns", cpu_ns);
	line_count(out, "clock_stepped_ns", stepped_ns(line));
	report_notes(line, out);
	line_end(out);
}

struct command {
	const char *cmd;
};

static const struct key command_keys[] = {
	KEY(command, cmd, TEXT, .required = true, .help = "begin or stop"),
	{ 0 },
};

static int obey(struct access_line *line, char *text, struct fault *fault)
{
	struct command command = { 0 };
	int error = request_read(&command, text, command_keys, NULL, fault);

	if (error)
		return error;
	if (strcmp(command.cmd, "begin") == 0)
		begin(line);
	else if (strcmp(command.cmd, "stop") == 0)
		report(line, RELAY_BOOKS);
	else
		return fault_set(fault, -EINVAL, "cmd",
				 "send {\"cmd\":\"begin\"} or {\"cmd\":\"stop\"}",
				 "line only takes the commands begin and stop");
	return 0;
}

static int hold(struct access_line *line, struct fault *fault)
{
	char *text = NULL;
	int result;

	while ((result = talk_line(line->talk, &text)) > 0) {
		int error = obey(line, text, fault);

		free(text);
		if (error)
			return error;
	}
	return result ? talk_unread(fault, result, "reading stdin") : 0;
}

static int line_job(struct access_line *line, struct fault *fault)
{
	int error = open_ways(line, fault);

	if (error)
		return error;
	rise(line);
	talk_ready(line->talk, NULL, (int)line->request->job.cpu);
	error = run_ways(line, fault);
	step_back(line);
	line_end(&line->talk->line);
	if (!error)
		error = hold(line, fault);
	if (!error)
		report(line, RELAY_END);
	return error;
}

static int line_run(struct talk *talk, const void *request, struct fault *fault)
{
	struct access_line *line = calloc(1, sizeof(*line));
	int error;

	if (!line)
		return fault_system(fault, -ENOMEM, NULL, "the line");
	line->request = request;
	line->talk = talk;
	for (int i = 0; i < WAYS; i++)
		relay_prepare(&line->relay[i]);
	error = line_job(line, fault);
	for (int i = 0; i < WAYS; i++)
		relay_close(&line->relay[i]);
	for (int i = 0; i < WAYS; i++)
		free(line->step[i]);
	free(line);
	return error;
}

#endif

const struct verb verb_line = {
	.name = "line",
	.help = "an emulated access line between two interfaces",
#if defined(__x86_64__) || defined(__aarch64__)
	.keys = line_keys,
	.request_bytes = sizeof(struct line_request),
	.needs = SANDBOX_SOCKETS | SANDBOX_THREAD,
	.run = line_run,
#else
	.keys = (const struct key[]){ { 0 } },
	.absent = "run it on a host of x86_64 or aarch64",
#endif
};
