// SPDX-License-Identifier: Apache-2.0
/*
 * gm-agent: one job of the laboratory on one host. `gm-agent VERB` reads a request as a JSON line
 * from stdin and reports in JSON lines on stdout (PROTOCOL.md).
 */
#include "stay/stay.h"
#include "verbs/verb.h"
#include "version.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define EXIT_USAGE 2

/*
 * The agent in parts: a device gets the one that it needs (node/binary.py), which is smaller than
 * all together. A part holds what its verbs use; the linker leaves the rest out.
 */
#define TESTER 1
#define WATCHER 2
#define CAPTURER 4
#ifndef PART
#define PART (TESTER | WATCHER | CAPTURER)
#endif

static const struct verb *const verbs[] = {
#if PART & TESTER
	&verb_send,    &verb_sink,  &verb_stream, &verb_connect, &verb_replay,	&verb_line,
#endif
#if PART & WATCHER
	&verb_watch,   &verb_look,  &verb_soak,	  &verb_slow,	 &verb_forward,
#endif
#if PART & CAPTURER
	&verb_capture, &verb_flows,
#endif
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct key job_keys[] = {
	KEY(job, cpu, INTEGER, .preset = -1, .min = -1, .max = CPU_SETSIZE - 1,
	    .help = "pin the agent to this CPU; -1: leave it"),
	KEY(job, tick_ms, INTEGER, .max = 3600000, .help = "report progress this often; 0: never"),
	{ 0 },
};

static int help(void)
{
	printf("gm-agent " AGENT_VERSION ": does one job for the Gatemark laboratory\n\n"
	       "Usage: gm-agent VERB < requests > events      one JSON object a line, see "
	       "PROTOCOL.md\n"
	       "       gm-agent VERB REQUEST > events         at once, until SIGTERM or SIGINT\n"
	       "       gm-agent stay < orders 2> frames       one job after the other\n"
	       "       gm-agent VERB --help                   the keys of its request\n\nVerbs:\n");
	for (size_t i = 0; i < VERBS; i++)
		printf("  %-8s %s\n", verbs[i]->name, verbs[i]->help);
	return EXIT_SUCCESS;
}

static void help_keys(const struct key *keys)
{
	for (; keys->name; keys++)
		printf("  %-12s %s%s\n", keys->name, keys->help,
		       keys->required ? " (required)" : "");
}

/* Those of objects, once for all that have the same. */
static void help_objects(const struct key *keys)
{
	const struct key *shown = NULL;

	for (; keys->name; keys++) {
		if (!keys->keys || keys->keys == shown)
			continue;
		shown = keys->keys;
		printf("\nKeys of %s:\n", keys->name);
		help_keys(shown);
	}
}

static int help_verb(const struct verb *verb)
{
	printf("gm-agent %s: %s\n\nKeys of the request:\n", verb->name, verb->help);
	help_keys(verb->keys);
	help_keys(job_keys);
	help_objects(verb->keys);
	return EXIT_SUCCESS;
}

static int pin(int64_t cpu, struct fault *fault)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		return fault_set(fault, -EINVAL, "cpu", "choose one that taskset -p lists",
				 "CPU %lld is not available here", (long long)cpu);
	return 0;
}

/* From the request's text to the end of the job. */
static int serve_request(const struct verb *verb, struct talk *talk, char *text,
			 struct fault *fault)
{
	struct job *job = calloc(1, verb->request_bytes);
	int error;

	if (!job)
		return fault_system(fault, -ENOMEM, NULL, "the request");
	error = request_read(job, text, verb->keys, job_keys, fault);
	if (!error)
		error = pin(job->cpu, fault);
	if (!error)
		error = verb->run(talk, job, fault);
	request_release(job, verb->keys);
	free(job);
	return error;
}

static int serve(const struct verb *verb, struct talk *talk)
{
	struct fault fault = { 0 };
	char *text = NULL;
	int result = talk_line(talk, &text);

	if (result > 0 && verb->absent)
		result = fault_set(&fault, -EOPNOTSUPP, NULL, verb->absent,
				   "this build of gm-agent has no verb %s", verb->name);
	else if (result > 0)
		result = serve_request(verb, talk, text, &fault);
	else if (result == 0)
		result = fault_set(&fault, -ECANCELED, NULL, "send a request on one line",
				   "stdin was closed before a request came");
	else
		talk_unread(&fault, result, "reading the request");
	if (result)
		talk_fault(talk, &fault);
	free(text); /* not earlier: the fault may name a key in it */
	return result ? result : talk->line.error;
}

/* given: the request, where nobody talks with the agent; or NULL. */
static int run(const struct verb *verb, const char *given)
{
	struct talk talk;
	int result;

	/* SIGTERM, not SIGKILL: a slowdown has to be removed when the laboratory is gone. */
	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGTERM, 0ul, 0ul, 0ul);
	talk_begin(&talk);
	if (given && talk_alone(&talk, given) < 0)
		return EXIT_FAILURE;
	talk.needs = verb->needs;
	talk_hello(&talk, verb->name);
	result = serve(verb, &talk);
	talk_release(&talk);
	if (!result)
		return EXIT_SUCCESS;
	return result == -EINVAL ? EXIT_USAGE : EXIT_FAILURE;
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < VERBS; i++)
		if (strcmp(verbs[i]->name, name) == 0)
			return verbs[i];
	return NULL;
}

/* A job of an agent that stays: talked with as one that was started for it alone. */
static int do_job(const char *name)
{
	const struct verb *verb = find_verb(name);

	if (verb)
		return run(verb, NULL);
	fprintf(stderr, "gm-agent: no such verb: %s\n", name);
	return EXIT_USAGE;
}

static int run_stay(void)
{
	struct talk talk;

	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGTERM, 0ul, 0ul, 0ul);
	talk_begin(&talk);
	talk_hello(&talk, "stay");
	return stay(do_job);
}

static int is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* word: behind the verb, or NULL. */
static int run_verb(const struct verb *verb, const char *word)
{
	if (word && is_help(word))
		return help_verb(verb);
	if (!word || word[0] == '{')
		return run(verb, word);
	fprintf(stderr, "gm-agent: no such option: %s; try gm-agent --help\n", word);
	return EXIT_USAGE;
}

/* A word that stands alone and is no verb; -1: it is none of these. */
static int run_word(const char *word)
{
	if (is_help(word))
		return help();
	if (strcmp(word, "--version") == 0)
		return puts("gm-agent " AGENT_VERSION) < 0;
	if (strcmp(word, "stay") == 0)
		return run_stay();
	return -1;
}

int main(int argc, char **argv)
{
	const struct verb *verb = argc > 1 ? find_verb(argv[1]) : NULL;
	int result = argc == 2 ? run_word(argv[1]) : -1;

	if (result >= 0)
		return result;
	if (verb && argc <= 3)
		return run_verb(verb, argc == 3 ? argv[2] : NULL);
	fprintf(stderr,
		argc > 1 ? "gm-agent: no such verb or option: %s; try gm-agent --help\n"
			 : "gm-agent: a verb is missing; try gm-agent --help\n",
		argc > 1 ? argv[argc > 2 && verb ? 2 : 1] : "");
	return EXIT_USAGE;
}
