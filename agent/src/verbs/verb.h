// SPDX-License-Identifier: Apache-2.0
/* A verb: one job of the agent, the keys of its request, and the function that does it. */
#ifndef GM_VERB_H
#define GM_VERB_H

#include "sandbox/sandbox.h"
#include "talk/fault.h"
#include "talk/request.h"
#include "talk/talk.h"

#include <stddef.h>
#include <stdint.h>

/* The keys that every verb takes; each request's struct begins with them. */
struct job {
	int64_t cpu; /* -1: any */
	int64_t tick_ms; /* 0: never */
};

struct verb {
	const char *name;
	const char *help;
	const struct key *keys;
	size_t request_bytes; /* of the struct that keys fill */
	const char *absent; /* what to do as this build is without it; NULL: it has it */
	unsigned int needs; /* after ready: bits of enum sandbox_need */

	/* From the request to done. 0 or -errno with the fault filled. */
	int (*run)(struct talk *talk, const void *request, struct fault *fault);
};

extern const struct verb verb_send;
extern const struct verb verb_sink;
extern const struct verb verb_stream;
extern const struct verb verb_connect;
extern const struct verb verb_replay;
extern const struct verb verb_watch;
extern const struct verb verb_look;
extern const struct verb verb_slow;
extern const struct verb verb_forward;
extern const struct verb verb_line;
extern const struct verb verb_soak;
extern const struct verb verb_capture;
extern const struct verb verb_flows;

#endif
