// SPDX-License-Identifier: Apache-2.0
/*
 * flows: keeps records of the flows that cross interfaces, in the kernel, and hands them on when
 * they end: as IPFIX to a collector, or as events.
 */
#include "flows/export.h"
#include "flows/table.h"
#include "kernel/bpf_object.h"
#include "kernel/device.h"
#include "kernel/hooks.h"
#include "kernel/resident.h"
#include "time/clock.h"
#include "verbs/verb.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static const char *const protocol_names[] = { "udp", "tcp", NULL };

struct flows_request {
	struct job job;
	struct texts devices;
	int64_t flows;
	int64_t idle_ms, active_ms, look_ms;
	const char *collector;
	int64_t port, domain;
	int protocol;
	bool uniflows;
};

static const struct key flows_keys[] = {
	KEY(flows_request, devices, TEXTS, .required = true,
	    .help = "list of interfaces, 8 at most"),
	KEY(flows_request, flows, INTEGER, .preset = 16384, .min = 64, .max = 1 << 20,
	    .help = "kept at a time, of IPv4 and of IPv6 each"),
	KEY(flows_request, idle_ms, INTEGER, .preset = 15000, .min = 100, .max = 3600000,
	    .help = "a flow ends when nothing came for so long"),
	KEY(flows_request, active_ms, INTEGER, .preset = 120000, .min = 100, .max = 3600000,
	    .help = "a flow that lasts longer is reported in parts of this length"),
	KEY(flows_request, look_ms, INTEGER, .preset = 1000, .min = 10, .max = 60000,
	    .help = "between two looks for flows that have ended"),
	KEY(flows_request, collector, TEXT,
	    .help = "address of an IPFIX collector; if left out, records are events"),
	KEY(flows_request, port, INTEGER, .preset = 4739, .min = 1, .max = 65535,
	    .help = "of the collector"),
	KEY(flows_request, protocol, CHOICE, .choices = protocol_names,
	    .help = "to the collector: udp or tcp"),
	KEY(flows_request, domain, INTEGER, .max = UINT32_MAX,
	    .help = "observation domain in IPFIX messages"),
	KEY(flows_request, uniflows, FLAG,
	    .help = "a record for each way, for collectors that know no RFC 5103"),
	{ 0 },
};

struct flows_job {
	const struct flows_request *request;
	struct talk *talk;
	struct flow_table table;
	struct hooks hooks;
	struct flow_export export;
	uint64_t records, left;
	int resident; /* descriptor */
};

static int load_by(const struct flows_job *job, const char *device, bool ticks, struct fault *fault)
{
	const struct bpf_map maps[] = { job->table.ipv4.flows, job->table.ipv6.flows,
					job->table.counts };
	const struct bpf_constant constants[] = {
		{ FLOWS_RAW, hooks_link_type(device) == LINK_TYPE_RAW },
		{ FLOWS_CPUS, job->table.cpus },
		{ FLOWS_TICKS, ticks },
	};
	const struct bpf_program program = {
		.object = bpf_flows,
		.object_bytes = bpf_flows_bytes,
		.section = FLOWS_SECTION,
		.name = "gm_flows",
		.type = BPF_PROG_TYPE_SCHED_CLS,
		.needs = "Linux 5.3",
		.maps = maps,
		.map_count = 3,
		.constants = constants,
		.constant_count = sizeof(constants) / sizeof(constants[0]),
	};

	return bpf_program_load(&program, fault);
}

/* Before Linux 5.11 the clock's last tick cannot be read. */
static int load(const struct flows_job *job, const char *device, struct fault *fault)
{
	int program = load_by(job, device, true, fault);

	return program < 0 ? load_by(job, device, false, fault) : program;
}

static int attach_way(struct flows_job *job, const char *device, enum hooks_way way,
		      struct fault *fault)
{
	int program = load(job, device, fault);

	if (program < 0)
		return program;
	return hooks_attach(&job->hooks, device, way, program, "gm_flows", fault);
}

static int attach_all(struct flows_job *job, struct fault *fault)
{
	const struct texts *names = &job->request->devices;

	if (!names->count || names->count > HOOKS_MOST / 2)
		return fault_set(fault, -EINVAL, "devices", "name one to eight",
				 "%zu devices are named", names->count);
	for (size_t i = 0; i < names->count; i++) {
		struct device device;
		int error = device_find(&device, names->item[i], 0, "devices", fault);

		if (!error)
			error = attach_way(job, names->item[i], HOOKS_IN, fault);
		if (!error)
			error = attach_way(job, names->item[i], HOOKS_OUT, fault);
		if (error)
			return error;
	}
	return 0;
}

static void say_end(struct line *line, const char *key, const char *port_key,
		    const struct flow_record *record, bool low)
{
	uint16_t port = low ? record->low_port : record->high_port;
	const uint8_t *bytes = (const uint8_t *)&port;
	char text[INET6_ADDRSTRLEN] = "";

	inet_ntop(record->is_ipv6 ? AF_INET6 : AF_INET, low ? record->low : record->high, text,
		  sizeof(text));
	line_text(line, key, text);
	line_integer(line, port_key, bytes[0] << 8 | bytes[1]);
}

/* From the end that sent first. */
static void say(struct talk *talk, const struct flow_record *record)
{
	const struct flow *flow = &record->flow;
	unsigned int ahead = flow->first_way & 1, back = !ahead;
	struct line *line = &talk->line;

	line_begin(line, "flow");
	say_end(line, "src", "src_port", record, !ahead);
	say_end(line, "dst", "dst_port", record, ahead);
	line_integer(line, "protocol", record->protocol);
	line_count(line, "first_ns", flow_first_ns(flow));
	line_count(line, "last_ns", flow_last_ns(flow));
	line_count(line, "packets", flow->packets[ahead]);
	line_count(line, "bytes", flow->bytes[ahead]);
	line_count(line, "packets_back", flow->packets[back]);
	line_count(line, "bytes_back", flow->bytes[back]);
	line_integer(line, "end", record->end);
	line_end(line);
}

static void hand_on(void *context, const struct flow_record *record)
{
	struct flows_job *job = context;

	job->records++;
	if (job->request->collector)
		flow_export_put(&job->export, record);
	else
		say(job->talk, record);
}

static int report(const struct flows_job *job, const char *event, struct fault *fault)
{
	struct line *line = &job->talk->line;
	struct flow_counts counts;
	int error = flow_table_count(&job->table, &counts);

	if (error)
		return fault_system(fault, error, NULL, "reading the counters of packets");
	line_begin(line, event);
	line_count(line, "t_ns", clock_now());
	line_count(line, "counted", counts.of[FLOWS_COUNTED]);
	line_count(line, "other", counts.of[FLOWS_OTHER]);
	line_count(line, "untracked", counts.of[FLOWS_UNTRACKED]);
	line_count(line, "flows", job->left);
	line_count(line, "records", job->records);
	line_count(line, "sent", job->export.sent);
	line_count(line, "lost", job->export.lost);
	line_count(line, "cpu_ns", clock_cpu());
	line_count(line, "resident_bytes", resident_bytes(job->resident));
	line_end(line);
	return 0;
}

static int collect(struct flows_job *job, bool all, struct fault *fault)
{
	const struct flow_limits limits = {
		.idle_ns = (uint64_t)job->request->idle_ms * NS_PER_MS,
		.active_ns = (uint64_t)job->request->active_ms * NS_PER_MS,
	};
	int error = flow_table_collect(&job->table, &limits, all, hand_on, job, &job->left);

	if (job->request->collector)
		flow_export_flush(&job->export);
	return error ? fault_system(fault, error, NULL, "reading the tables of flows") : 0;
}

static int look_until_over(struct flows_job *job, struct fault *fault)
{
	uint64_t look = (uint64_t)job->request->look_ms * NS_PER_MS;
	uint64_t tick = (uint64_t)job->request->job.tick_ms * NS_PER_MS;
	uint64_t look_ns = clock_now() + look, tick_ns = tick ? clock_now() + tick : UINT64_MAX;
	int error = 0;

	while (!error && !talk_over(job->talk)) {
		talk_sleep_until(job->talk, look_ns < tick_ns ? look_ns : tick_ns);
		if (clock_now() >= look_ns) {
			error = collect(job, false, fault);
			look_ns += look;
		}
		if (!error && clock_now() >= tick_ns) {
			error = report(job, "tick", fault);
			tick_ns += tick;
		}
	}
	return error;
}

static int prepare(struct flows_job *job, struct fault *fault)
{
	const struct flows_request *request = job->request;
	int error;

	bpf_allow_memory();
	error = flow_table_open(&job->table, (uint32_t)request->flows, fault);
	if (!error)
		error = attach_all(job, fault);
	if (!error && request->collector)
		error = flow_export_open(&job->export, request->collector, (uint16_t)request->port,
					 fault);
	return error;
}

static int work(struct flows_job *job, struct fault *fault)
{
	int error = prepare(job, fault);

	if (error)
		return error;
	talk_ready(job->talk, NULL, (int)job->request->job.cpu);
	line_end(&job->talk->line);
	error = talk_start(job->talk, fault);
	if (!error)
		error = look_until_over(job, fault);
	hooks_close(&job->hooks);
	if (!error)
		error = collect(job, true, fault);
	return error ? error : report(job, "done", fault);
}

static int flows_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct flows_request *request = given;
	struct flows_job job = {
		.request = request,
		.talk = talk,
		.resident = resident_open(),
		.export = { .fd = -1,
			    .is_tcp = request->protocol == 1,
			    .ipfix = { .biflows = !request->uniflows,
				       .domain = (uint32_t)request->domain } },
	};
	int error;

	flow_table_prepare(&job.table);
	error = work(&job, fault);
	hooks_close(&job.hooks);
	flow_table_close(&job.table);
	flow_export_close(&job.export);
	if (job.resident >= 0)
		close(job.resident);
	return error;
}

const struct verb verb_flows = {
	.name = "flows",
	.help = "keeps records of the flows that cross interfaces",
	.keys = flows_keys,
	.request_bytes = sizeof(struct flows_request),
	.needs = SANDBOX_BPF | SANDBOX_NETLINK | SANDBOX_DEVICES | SANDBOX_SOCKETS |
		 SANDBOX_CONNECT,
	.run = flows_run,
};
