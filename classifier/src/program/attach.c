// SPDX-License-Identifier: Apache-2.0
/*
 * attach: classifies at a device of the LAN until a signal comes, and prints what it counts every
 * second. What it attached goes with this process. SIGHUP reads the model's file again.
 */
#include "kernel/gateway.h"
#include "node/teller.h"
#include "program/program.h"
#include "time/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define REPORT_MS 1000
#define REST_INTERPRETED 90 /* packets: a looked-at window of ten stands for a hundred */
#define REPORT_US (REPORT_MS * 1000ull)
/* Attached it reads maps, a model again, /sys; asks whether flows are offloaded; takes a qdisc away. */
#define NEEDS (SANDBOX_PRINTS | SANDBOX_READS | SANDBOX_BPF | SANDBOX_NETLINK | SANDBOX_DEVICES)
#define NEEDS_TO_TELL (SANDBOX_SOCKETS | SANDBOX_DIALS)

struct attached {
	struct named_model named;
	struct mark mark;
	struct gateway gateway;
	struct teller teller;
	bool tells; /* action nodes what is decided */
	struct offloads offloads;
};

static uint64_t now_us(void)
{
	return clock_now() / NS_PER_US;
}

static void note(void *context, const struct flow_key *key, const struct decision *decision)
{
	struct attached *attached = context;

	if (attached->tells)
		teller_note(&attached->teller, key, decision,
			    decision_prefers(&attached->named.model, decision));
}

/* Takes old decisions away and tells the others. How many hold. */
static uint64_t sweep(struct attached *attached)
{
	uint64_t left;

	if (attached->tells)
		teller_begin(&attached->teller, &attached->named);
	left = gateway_sweep(&attached->gateway, &attached->named.model, now_us(), note, attached);
	if (attached->tells)
		teller_end(&attached->teller);
	return left;
}

static int report(const struct attached *attached, uint64_t left, struct fault *fault)
{
	uint64_t counts[CLASSIFY_KINDS];
	int error = gateway_counts(&attached->gateway, counts);

	if (error)
		return fault_system(fault, error, NULL, "reading the counters");
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
	       counts[CLASSIFY_SEEN], counts[CLASSIFY_OTHER], counts[CLASSIFY_UNTRACKED],
	       counts[CLASSIFY_MARKED], left, counts[CLASSIFY_FULL], attached->offloads.most);
	if (attached->tells)
		printf(",%u", teller_ready(&attached->teller));
	printf("\n");
	fflush(stdout);
	return 0;
}

/* A kernel without a compiler for BPF has no such file. */
static bool is_interpreted(void)
{
	FILE *file = fopen("/proc/sys/net/core/bpf_jit_enable", "re");
	int word = file ? fgetc(file) : '0';

	if (file)
		fclose(file);
	return word == '0';
}

static int prepare(struct attached *attached, const struct options *options, struct fault *fault)
{
	struct model *model = &attached->named.model;
	int error = load_model(&attached->named, options, fault);

	if (error)
		return error;
	mark_preferred(model, attached->mark.value);
	if (options->rest < 0 && is_interpreted())
		model->rest = REST_INTERPRETED;
	if (options->new_flows > 0) {
		model->new_flows_rate = (uint32_t)options->new_flows;
		model->new_flows_burst = (uint32_t)options->new_flows;
	}
	return 0;
}

/* Another model takes the place of the one in use. A faulty one leaves it there. */
static void reload(struct attached *attached, const struct options *options)
{
	static struct attached other;
	struct options anew = *options;
	struct fault fault = { 0 };
	int error = file_open(&anew.file[0], options->word[0], &fault);

	other.mark = attached->mark;
	if (!error) {
		error = prepare(&other, &anew, &fault);
		file_close(&anew.file[0]);
	}
	if (!error)
		error = gateway_swap(&attached->gateway, &other.named, &attached->named, &fault);
	if (error)
		fprintf(stderr, "gm-classifier: %s: %s; the model in use stays\n", fault.reason,
			fault.fix);
	else
		attached->named = other.named;
}

/* Signals are blocked, and taken here. */
static int work(struct attached *attached, const struct options *options, const sigset_t *signals,
		struct fault *fault)
{
	/* Who tells nobody has nothing to do between two reports, and this CPU is the gateway's. */
	const long look_ms = attached->tells ? TELLER_TICK_MS : REPORT_MS;
	const struct timespec look = { .tv_sec = look_ms / 1000,
				       .tv_nsec = look_ms % 1000 * (long)NS_PER_MS };
	uint64_t shown_us = now_us();
	int error = 0, taken = -1;

	offloads_look(&attached->offloads, shown_us); /* said before the first line */
	printf("seen,other,untracked,marked,decisions,no_room,offloaded%s\n",
	       attached->tells ? ",nodes" : "");
	fflush(stdout);
	while (!error && (taken < 0 || taken == SIGHUP)) {
		uint64_t left;

		taken = sigtimedwait(signals, NULL, &look);
		if (taken == SIGHUP)
			reload(attached, options);
		else if (taken >= 0)
			attached->offloads.looked_us = 0; /* what it says last has them, too */
		left = sweep(attached);
		offloads_look(&attached->offloads, now_us());
		if (taken < 0 && now_us() - shown_us < REPORT_US)
			continue;
		shown_us = now_us();
		error = report(attached, left, fault);
	}
	return error;
}

static int attach(struct attached *attached, const struct options *options, struct fault *fault)
{
	const char *device = options->word[1];
	const struct gateway_options settings = {
		.flows = (uint32_t)options->flows,
		.decisions = (uint32_t)options->decisions,
		.mask = attached->mark.mask,
		.is_raw = hooks_link_type(device) == LINK_TYPE_RAW,
	};
	sigset_t signals;
	int error;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	attached->tells = options->to != NULL;
	error = gateway_open(&attached->gateway, &attached->named, &settings, fault);
	if (!error && attached->tells)
		error = teller_open(&attached->teller, options->to, options->key,
				    (uint16_t)options->ttl_s, (size_t)options->decisions, fault);
	if (!error)
		error = gateway_attach(&attached->gateway, device, fault);
	sandbox_enter(NEEDS | (attached->tells ? NEEDS_TO_TELL : 0));
	if (!error)
		error = work(attached, options, &signals, fault);
	gateway_close(&attached->gateway);
	if (attached->tells)
		teller_close(&attached->teller);
	return error;
}

static int run(const struct options *options, struct fault *fault)
{
	static struct attached attached;
	int error = mark_read(&attached.mark, options->mark ? options->mark : "1", fault);

	if (!error && !options->priority)
		error = fault_set(fault, -EINVAL, "priority", "such as --priority realtime",
				  "no class is preferred");
	if (!error)
		error = prepare(&attached, options, fault);
	return error ? error : attach(&attached, options, fault);
}

const struct command command_attach = {
	.name = "attach",
	.words = "MODEL DEVICE --priority NAMES",
	.words_count = 2,
	.files = 1,
	.needs = NEEDS | NEEDS_TO_TELL | SANDBOX_LOADS,
	.help = "classifies at a device of the LAN until a signal comes; CSV: counters, every "
		"second",
	.options =
		"      --mark N[/MASK]  of packets of these classes, or on probation (1)\n"
		"      --flows N        kept at a time, of IPv4 and IPv6 each (16384)\n"
		"      --decisions N    kept at a time (4096)\n"
		"      --new-flows N    a second, of a host of the LAN, and at once (50, 512)\n"
		"      --guard N        bytes a second that a preferred flow may take (125000)\n"
		"      --rest N         packets that pass without a look, once windows agree (0;\n"
		"                       90 where the kernel interprets BPF)\n"
		"      --sliding        a window ends with every packet, not with every N\n"
		"      --to [rap:]ADDRESS[:PORT],...  action nodes that are told what is decided\n"
		"      --key FILE       32 hex digits that they have too\n"
		"      --ttl S          how long they heed an order without another (30)\n",
	.run = run,
};
