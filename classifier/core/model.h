// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A model as data: the attributes that it asks for, a decision tree, what is done for each class.
 * It is the value of a map, so that another one takes its place without another program.
 */
#ifndef GM_MODEL_H
#define GM_MODEL_H

#include "classifier/core/feature.h"
#include "classifier/core/window.h"

#define MODEL_ATTRIBUTES_MOST 32
#define MODEL_NODES_MOST 4095
#define MODEL_NODES 4096 /* a power of two, so that a number is cut to a place */
#define MODEL_CLASSES_MOST 255
#define MODEL_DEPTH_MOST 16

/* Where a branch leads: a leaf has a class (8 bits) and its confidence (percent), or a node. */
#define LEAF 0x8000
#define LEAF_OF(class, confidence) ((__u16)(LEAF | (class) | (confidence) << 8))
#define LEAF_CLASS(target) ((target) & 0xff)
#define LEAF_CONFIDENCE(target) ((target) >> 8 & 0x7f)

#define NODE_EQUAL 1 /* a nominal attribute: the first branch is for the split itself */

struct node {
	__s32 split;
	__u16 target[2]; /* at most the split; more */
	__u8 attribute, flags;
	__u8 missing; /* class of one without the attribute, which ours never lacks */
	__u8 unused;
};

/* What is done for flows of a class. */
struct class_action {
	__u32 mark; /* 0: nothing */
	__u32 priority; /* it is preferred, so that guard and probation hold */
};

struct model {
	__u32 window, confirm;
	__u32 attributes, nodes, classes;
	__u32 keeps; /* enum keeps: what they ask for of a window */
	__u32 protocol; /* of the flows that it is for; 0: of any */
	__u32 headers; /* 1: what they say goes before the tree */
	__u32 interactive; /* 1: TCP of terminals and desktops has a class of its own */
	__u32 by_header[4]; /* leaves, by enum header; 0: the model has no class of this name */
	__u32 unknown; /* percent: a leaf less sure than this changes nothing */
	__u32 rest; /* packets that pass once windows agree (rest.h); 0: none */
	__u32 floor, ceiling; /* of a window in real time: packets/s, mean length; 0: none */

	/* Bounds on what a class that is preferred may take. */
	__u32 new_flows_rate, new_flows_burst; /* a second, of a host of the LAN */
	__u32 guard_rate, guard_burst; /* bytes a second of a flow; bytes */
	__u32 host_rate, host_burst; /* the same of a host's preferred flows together */
	__u32 probation_rate, probation_burst; /* of all flows on probation; bytes */
	__u32 probation_bytes; /* length of a packet, at most */
	__u32 probation_mark; /* 0: there is no probation */
	__u32 sparse_us; /* a packet on probation follows at least so much later */
	__u32 gap_us; /* TCP is preferred from such a gap on, so that nothing is overtaken */
	__u64 idle_us; /* a decision holds until no packet came for so long */

	struct class_action action[MODEL_CLASSES_MOST + 1];
	struct attribute attribute[MODEL_ATTRIBUTES_MOST];
	struct node node[MODEL_NODES];
};

/* Room for what is done with a packet. The kernel's verifier follows fewer paths if it is a map's. */
struct scratch {
	struct added added;
	struct view view;
	__s32 value[MODEL_ATTRIBUTES_MOST];
};

SHARED void model_values(const struct model *model, struct scratch *scratch)
{
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < MODEL_ATTRIBUTES_MOST && i < model->attributes; i++)
		scratch->value[i] = attribute_value(&scratch->view, model->attribute[i]);
}

/* From the root to a leaf, which it returns; 0: the tree is none, or deeper than it may be. */
SHARED __u16 model_leaf(const struct model *model, const struct scratch *scratch)
{
	__u16 target = 0;

#pragma clang loop unroll(disable)
	for (int depth = 0; depth < MODEL_DEPTH_MOST; depth++) {
		const struct node *node = &model->node[target & (MODEL_NODES - 1)];
		__s32 value = scratch->value[node->attribute & (MODEL_ATTRIBUTES_MOST - 1)];
		int more = node->flags & NODE_EQUAL ? value != node->split : value > node->split;

		target = more ? node->target[1] : node->target[0];
		if (target & LEAF)
			return target;
	}
	return 0;
}

#define RATE_ONE_WAY 400 /* packets/s: above the rate of any call or game */

/* Whether a window is too sparse to need priority, or too much to have it. */
SHARED int model_is_beyond(const struct model *model, const struct view *view)
{
	const struct spread *up = &view->of[LENGTH + WAY_UP], *down = &view->of[LENGTH + WAY_DOWN];
	const struct spread *both = &view->of[LENGTH + WAY_BOTH];
	__u64 up_us = view->of[INTERVAL + WAY_UP].sum, down_us = view->of[INTERVAL + WAY_DOWN].sum;
	__u64 elapsed_us = up_us > down_us ? up_us : down_us, most = both->count * 1000000ull;
	__u64 lesser = up->sum < down->sum ? up->sum : down->sum;

	if (model->floor && most < elapsed_us * model->floor)
		return 1;
	return model->ceiling && (both->sum > (__u64)model->ceiling * both->count ||
				  (most > elapsed_us * RATE_ONE_WAY && lesser * 10 < both->sum));
}

/* The leaf of a full window; 0: it is unknown. */
SHARED __u32 model_decide(const struct model *model, const struct scratch *scratch)
{
	int is_asked = model->headers || scratch->view.terminal;
	__u32 leaf = is_asked ? model->by_header[scratch->view.header & 3] : 0;

	if (!leaf)
		leaf = model_leaf(model, scratch);
	if ((model->floor || model->ceiling) &&
	    LEAF_CLASS(leaf) == LEAF_CLASS(model->by_header[HEADER_REALTIME]) &&
	    model_is_beyond(model, &scratch->view))
		leaf = model->by_header[HEADER_OTHER];
	return LEAF_CONFIDENCE(leaf) < model->unknown ? 0 : leaf;
}

#endif
