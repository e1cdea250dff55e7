// SPDX-License-Identifier: Apache-2.0
/*
 * The classifier in the kernel: its maps, its program for each direction, and what it counts.
 */
#ifndef GM_CLASSIFIER_GATEWAY_H
#define GM_CLASSIFIER_GATEWAY_H

#include "classifier/bpf/classify.h"
#include "kernel/bpf.h"
#include "kernel/hooks.h"
#include "model/read.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stdint.h>

enum gateway_map {
	GATEWAY_FLOWS_IPV4,
	GATEWAY_FLOWS_IPV6,
	GATEWAY_DECISIONS,
	GATEWAY_HOSTS,
	GATEWAY_PROBATION,
	GATEWAY_RESTS,
	GATEWAY_MODELS,
	GATEWAY_ACTIVE,
	GATEWAY_WORK,
	GATEWAY_COUNTS,
	GATEWAY_MAPS
};

struct gateway_options {
	uint32_t flows; /* kept at a time, of IPv4 and of IPv6 each */
	uint32_t decisions;
	uint32_t mask; /* bits of a packet's mark that are the classifier's */
	bool is_raw; /* packets begin with IP */
	bool is_replay; /* packets have their own times */
};

struct gateway {
	struct gateway_options options;
	bool slides, passes; /* some flows pass without a look (core/rest.h) */
	uint32_t keeps; /* enum keeps, of the first model */
	struct bpf_map map[GATEWAY_MAPS];
	struct hooks hooks;
};

/* Makes the maps, the model among them. 0 or -errno with the fault filled; gateway_close() in either case. */
int gateway_open(struct gateway *gateway, const struct named_model *named,
		 const struct gateway_options *options, struct fault *fault);
void gateway_close(struct gateway *gateway);

/* Loads the program for a direction. Its descriptor, which is the caller's, or -errno. */
int gateway_load(const struct gateway *gateway, enum way way, struct fault *fault);

/* Both directions at a device of the LAN. 0 or -errno with the fault filled. */
int gateway_attach(struct gateway *gateway, const char *device, struct fault *fault);

/*
 * Puts another model in the place of the one in use, between two packets, if what is kept of flows
 * fits it. 0 or -errno with the fault filled.
 */
int gateway_swap(struct gateway *gateway, const struct named_model *named,
		 const struct named_model *in_use, struct fault *fault);

/* Sums over all CPUs, by enum classify_count. 0 or -errno. */
int gateway_counts(const struct gateway *gateway, uint64_t counts[CLASSIFY_KINDS]);

/*
 * Removes decisions of flows that sent nothing for so long that they hold no more, and hands the
 * others over. How many hold.
 */
typedef void gateway_take(void *context, const struct flow_key *key,
			  const struct decision *decision);
uint64_t gateway_sweep(const struct gateway *gateway, const struct model *model, uint64_t now_us,
		       gateway_take *take, void *context);

/* Bytes of kernel memory that a map takes; 0: this kernel does not say. */
uint64_t gateway_memory(const struct gateway *gateway, enum gateway_map map);

#endif
