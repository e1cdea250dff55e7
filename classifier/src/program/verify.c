// SPDX-License-Identifier: Apache-2.0
/*
 * verify: a capture through the kernel's program, with its own times, and through this one. Both
 * have to mark every packet alike.
 */
#include "capture/flows.h"
#include "kernel/gateway.h"
#include "kernel/replay.h"
#include "program/program.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define VERIFY_FLOWS 65536
#define VERIFY_DECISIONS 16384

struct verify {
	struct named_model named;
	struct gateway gateway;
	struct flows flows;
	int program[WAYS];
	uint64_t packets, marked, different, left_out;
};

static void tell(struct verify *verify, const struct seen *seen, const struct outcome *outcome,
		 int64_t kernel)
{
	char name[FLOW_NAME_MOST];

	verify->different++;
	printf("different,%s,%" PRIu64 ",%s,%u,%" PRId64 "\n",
	       flow_name(verify->flows.tables.current, name), verify->flows.tables.current->packets,
	       seen->moment.way == WAY_UP ? "up" : "down", outcome->mark, kernel);
}

static int compare(struct verify *verify, const struct packet_view *view, const struct seen *seen,
		   struct fault *fault)
{
	struct outcome outcome;
	struct scratch scratch;
	int64_t kernel;

	if (!replay_can(view)) {
		verify->left_out++;
		return 0;
	}
	kernel = replay_run(verify->program[seen->moment.way & 1], view, seen->moment.time_us);
	if (kernel < 0)
		return fault_system(fault, (int)kernel, NULL, "running the program");
	classify(&verify->flows.tables, &verify->named.model, &scratch, seen, &outcome);
	verify->packets++;
	verify->marked += outcome.mark != 0;
	if (kernel != outcome.mark)
		tell(verify, seen, &outcome, kernel);
	return 0;
}

static int compare_all(struct verify *verify, struct fault *fault)
{
	struct packet_view view;
	struct seen seen;
	int result, error = 0;

	while (!error && (result = flows_next(&verify->flows, &seen, &view, fault)) > 0)
		error = compare(verify, &view, &seen, fault);
	if (error || result)
		return error ? error : result;
	return flows_tell_left(&verify->flows, fault);
}

static int load(struct verify *verify, const struct options *options, struct fault *fault)
{
	const struct gateway_options settings = {
		.flows = VERIFY_FLOWS,
		.decisions = VERIFY_DECISIONS,
		.mask = UINT32_MAX,
		.is_replay = true,
	};
	int error = gateway_open(&verify->gateway, &verify->named, &settings, fault);

	for (int way = 0; !error && way < WAYS; way++) {
		verify->program[way] = gateway_load(&verify->gateway, (enum way)way, fault);
		if (verify->program[way] < 0)
			error = verify->program[way];
	}
	if (!error)
		error = flows_open(&verify->flows, options->word[1], &options->file[1],
				   options->lan, fault);
	verify->flows.tables.slides = verify->named.slides;
	verify->flows.tables.keeps = verify->named.model.keeps;
	verify->flows.tables.is_bounded = true;
	return error;
}

static int print(const struct verify *verify, struct fault *fault)
{
	uint64_t counts[CLASSIFY_KINDS];
	int error = gateway_counts(&verify->gateway, counts);
	uint64_t memory = gateway_memory(&verify->gateway, GATEWAY_FLOWS_IPV4);
	uint64_t memory6 = gateway_memory(&verify->gateway, GATEWAY_FLOWS_IPV6);

	if (error)
		return fault_system(fault, error, NULL, "reading the counters");
	printf("packets,marked,different,left_out,untracked,"
	       "ipv4_bytes_per_flow,ipv6_bytes_per_flow\n");
	printf("%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.2f,%.2f\n",
	       verify->packets, verify->marked, verify->different, verify->left_out,
	       counts[CLASSIFY_UNTRACKED], (double)memory / VERIFY_FLOWS,
	       (double)memory6 / VERIFY_FLOWS);
	return 0;
}

static int run(const struct options *options, struct fault *fault)
{
	static struct verify verify;
	int error = load_model(&verify.named, options, fault);

	if (error)
		return error;
	verify.program[WAY_UP] = verify.program[WAY_DOWN] = -1;
	error = load(&verify, options, fault);
	sandbox_enter(SANDBOX_PRINTS | SANDBOX_READS | SANDBOX_BPF); /* reads /sys and /proc */
	if (!error)
		error = compare_all(&verify, fault);
	if (!error)
		error = print(&verify, fault);
	for (int way = 0; way < WAYS; way++)
		if (verify.program[way] >= 0)
			close(verify.program[way]);
	flows_close(&verify.flows);
	gateway_close(&verify.gateway);
	if (!error && verify.different)
		error = fault_set(fault, -EBADMSG, NULL, "report it",
				  "kernel and user space differ at %" PRIu64 " packets",
				  verify.different);
	return error;
}

const struct command command_verify = {
	.name = "verify",
	.words = "MODEL FILE",
	.words_count = 2,
	.files = 2,
	.needs = SANDBOX_PRINTS | SANDBOX_READS | SANDBOX_LOADS,
	.help = "loads the kernel's program, runs the capture through it, and compares each packet",
	.options = "      the options of run; root of the first user namespace, Linux 5.3\n",
	.run = run,
};
