// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * A packet's way through the classifier, the same in the kernel and in user space: whoever includes
 * this file defines struct tables and the functions below, which look up what is kept.
 *
 * What is kept of a flow until its window is full may be pushed out by newer flows. A decision is
 * kept elsewhere, so that a flood of flows cannot undo it.
 */
#ifndef GM_CLASSIFY_H
#define GM_CLASSIFY_H

#include "classifier/core/confirm.h"
#include "classifier/core/flow.h"
#include "classifier/core/model.h"
#include "classifier/core/rest.h"

struct tables;

/* Of a flow: what is kept, or NULL. A new one is not begun yet; NULL: there is no room. */
SHARED struct pulse *table_flow(struct tables *tables, const struct flow_key *key);
SHARED struct pulse *table_flow_make(struct tables *tables, const struct flow_key *key);
SHARED struct decision *table_decision(struct tables *tables, const struct flow_key *key);
SHARED struct decision *table_decision_make(struct tables *tables, const struct flow_key *key);
SHARED void table_decision_drop(struct tables *tables, const struct flow_key *key);

/* Counts a packet of a flow that finds no room, or is one too many of its host. */
SHARED void table_untracked(struct tables *tables);

/* Of a host of the LAN; of all flows on probation. NULL: no bound. */
SHARED struct host *table_host(struct tables *tables, const struct flow_key *key);
SHARED struct bucket *table_probation(struct tables *tables);

/* A place among RESTS. NULL: there are none. */
SHARED struct rest *table_rest(struct tables *tables, __u32 place);

/* Whether windows slide. In the kernel it is a constant, and the verifier sees one of both. */
SHARED int table_slides(const struct tables *tables);
SHARED __u32 table_keeps(const struct tables *tables);

SHARED struct pulse *classify_begin(struct tables *tables, const struct model *model,
				    const struct seen *seen)
{
	struct host *host = table_host(tables, &seen->key);
	struct pulse *flow;

	if (host && !bucket_take(&host->flows, seen->moment.time_us, model->new_flows_rate,
				 model->new_flows_burst, 1))
		return 0;
	flow = table_flow_make(tables, &seen->key);
	if (flow && table_keeps(tables) & KEEPS_HEADERS)
		hints_begin(window_hints(flow, table_slides(tables), table_keeps(tables)));
	if (flow && table_slides(tables))
		sliding_begin((struct sliding *)flow, seen->moment.time_us);
	else if (flow)
		jumping_begin((struct jumping *)flow, seen->moment.time_us, table_keeps(tables));
	return flow;
}

/* TCP at a terminal's port, where the model has a class of its own for it. */
SHARED int classify_is_terminal(const struct model *model, const struct flow_key *key)
{
	return model->interactive && key->protocol == CLASSIFY_TCP &&
	       (port_is_terminal(&key->lan_port) | port_is_terminal(&key->wan_port));
}

/* What a packet says of its flow: UDP by its payload's beginning, a terminal's by its length. */
SHARED enum hint classify_hint(const struct model *model, struct hints *hints,
			       const struct seen *seen)
{
	if (classify_is_terminal(model, &seen->key))
		return seen->moment.length <= TERMINAL_BYTES ? HINT_MEDIA : HINT_NONE;
	return hints_see(hints, seen->moment.way & 1, &seen->head, &seen->key.lan_port,
			 &seen->key.wan_port);
}

SHARED void classify_add(struct tables *tables, const struct model *model, struct pulse *flow,
			 const struct seen *seen, struct added *added)
{
	__u32 keeps = table_keeps(tables), slides = (__u32)table_slides(tables);
	enum hint hint = HINT_NONE;

	if (keeps & KEEPS_HEADERS) {
		struct hints *hints = window_hints(flow, (int)slides, keeps);

		hint = classify_hint(model, hints, seen);
		if (!slides)
			hints_count(hints, hint);
	}
	if (slides)
		sliding_add((struct sliding *)flow, &seen->moment, model->window, hint, added);
	else
		jumping_add((struct jumping *)flow, &seen->moment, model->window, keeps, added);
}

/* What the headers of a full window say. The counts of a jumping one begin anew. */
SHARED void classify_read_hints(struct tables *tables, const struct model *model,
				struct pulse *flow, struct view *view)
{
	struct hints *hints = window_hints(flow, table_slides(tables), table_keeps(tables));

	if (!table_slides(tables))
		hints_take(hints, view->counts);
	view->header = view->terminal ? terminal_read(view->counts, view, model->window)
				      : hints_read(hints, view->counts, model->window);
}

/* Reads a full window into scratch. A jumping one begins anew. */
SHARED void classify_read(struct tables *tables, const struct model *model, struct pulse *flow,
			  const struct flow_key *key, struct scratch *scratch)
{
	if (table_slides(tables)) {
		sliding_view((struct sliding *)flow, &scratch->view, model->window,
			     table_keeps(tables));
	} else {
		jumping_view((struct jumping *)flow, &scratch->view, table_keeps(tables));
		jumping_reset((struct jumping *)flow, table_keeps(tables));
	}
	scratch->view.header = HEADER_UNKNOWN;
	scratch->view.terminal = (__u32)classify_is_terminal(model, key);
	if (table_keeps(tables) & KEEPS_HEADERS)
		classify_read_hints(tables, model, flow, &scratch->view);
	scratch->view.service = port_is_service(&key->lan_port) | port_is_service(&key->wan_port);
	scratch->view.listed = port_is_listed(&key->lan_port) | port_is_listed(&key->wan_port);
	model_values(model, scratch);
}

/*
 * Whether what a flow sent still counts, since it was preferred. A bulk flow that some windows take
 * for real time would else begin with an empty guard each time.
 */
SHARED int guard_remembers(const struct model *model, struct decision *decision, __u64 time_us)
{
	bucket_leak(&decision->guard, time_us, model->guard_rate);
	return decision->guarded && decision->guard.level;
}

/*
 * Gives a flow the class of a leaf. A class for which nothing is done is no decision to be kept,
 * but for a guard that remembers.
 *
 * What bounds a preferred class begins as the flow first comes to be preferred, whether or not a
 * decision for another class was kept before.
 */
SHARED struct decision *classify_settle(struct tables *tables, const struct model *model,
					struct decision *decision, const struct seen *seen,
					__u32 leaf)
{
	const struct class_action *action = &model->action[LEAF_CLASS(leaf)];
	__u64 time_us = seen->moment.time_us;
	int turns = action->priority != 0;

	if (!action->mark && !(decision && guard_remembers(model, decision, time_us))) {
		if (decision)
			table_decision_drop(tables, &seen->key);
		return 0;
	}
	if (decision) {
		turns = turns && !model->action[decision->class].priority;
	} else {
		decision = table_decision_make(tables, &seen->key);
		if (!decision)
			return 0;
		decision->guarded = decision->demoted = decision->waiting = decision->by_header = 0;
		decision->guard.last_us = time_us;
		decision->guard.level = 0;
	}
	if (turns && !decision->guarded) {
		decision->guard.level = 0;
		decision->demoted = 0;
		decision->guarded = 1;
	}
	if (turns)
		decision->waiting = seen->key.protocol == CLASSIFY_TCP;
	decision->class = LEAF_CLASS(leaf);
	decision->confidence = LEAF_CONFIDENCE(leaf);
	return decision;
}

/*
 * Whether a preferred flow's host takes more by such flows than it may, however little each of them
 * takes. Those that headers name have a bound of their own, so that an upload by many flows which
 * the tree takes for real time does not end the host's call.
 */
SHARED int classify_is_beyond(struct tables *tables, const struct model *model,
			      const struct decision *decision, const struct seen *seen,
			      const struct added *added)
{
	struct host *host = table_host(tables, &seen->key);
	__u32 which = decision->by_header & 1;
	__u64 room = model->host_burst * BUCKET_WHOLE, level;

	if (!host)
		return 0;
	bucket_fill(&host->preferred[which], seen->moment.time_us, model->host_rate,
		    model->host_burst, seen->moment.length + added->passed);
	level = host->preferred[which].level;
	host->beyond[which] = level > (host->beyond[which] ? room / 2 : room);
	return host->beyond[which];
}

SHARED void classify_decided(struct tables *tables, const struct model *model,
			     struct decision *decision, const struct seen *seen,
			     const struct added *added, struct outcome *outcome)
{
	const struct class_action *action = &model->action[decision->class];
	__u64 room = model->guard_burst * BUCKET_WHOLE;

	bucket_fill(&decision->guard, seen->moment.time_us, model->guard_rate, model->guard_burst,
		    seen->moment.length + added->passed);
	decision->guard.last_us = seen->moment.time_us;
	decision->demoted = decision->guard.level > (decision->demoted ? room / 2 : room);
	if (added->interval != GAP_NONE && added->interval >= model->gap_us)
		decision->waiting = 0;
	outcome->class = decision->class;
	outcome->confidence = decision->confidence;
	outcome->verdict = VERDICT_CLASS;
	if (action->priority &&
	    (decision->demoted ||
	     (!decision->waiting && classify_is_beyond(tables, model, decision, seen, added))))
		outcome->verdict = VERDICT_DEMOTED;
	else if (action->priority && decision->waiting)
		outcome->verdict = VERDICT_WAITING;
	else
		outcome->mark = action->mark;
}

/* A small packet of a new UDP flow that sends seldom. */
SHARED void classify_probation(struct tables *tables, const struct model *model,
			       const struct seen *seen, const struct added *added,
			       struct outcome *outcome)
{
	struct bucket *bucket;

	if (!model->probation_mark || !added->new || seen->key.protocol != CLASSIFY_UDP ||
	    seen->moment.length > model->probation_bytes || added->interval < model->sparse_us)
		return;
	bucket = table_probation(tables);
	if (bucket && !bucket_take(bucket, seen->moment.time_us, model->probation_rate,
				   model->probation_burst, seen->moment.length))
		return;
	outcome->verdict = VERDICT_PROBATION;
	outcome->mark = model->probation_mark;
}

/* Returns a decision that still holds. */
SHARED struct decision *classify_recall(struct tables *tables, const struct model *model,
					const struct seen *seen)
{
	struct decision *decision = table_decision(tables, &seen->key);

	if (decision && seen->moment.time_us > decision->guard.last_us &&
	    seen->moment.time_us - decision->guard.last_us > model->idle_us) {
		table_decision_drop(tables, &seen->key);
		return 0;
	}
	return decision;
}

/* Whether a model is for such flows. */
SHARED int classify_knows(const struct model *model, const struct flow_key *key)
{
	return !model->protocol || model->protocol == key->protocol ||
	       classify_is_terminal(model, key);
}

/* What is kept of a packet's flow, begun where it is new. NULL: nothing is, as there is no room. */
SHARED struct pulse *classify_flow(struct tables *tables, const struct model *model,
				   const struct seen *seen)
{
	struct pulse *flow = table_flow(tables, &seen->key);

	if (!flow)
		flow = classify_begin(tables, model, seen);
	if (!flow)
		table_untracked(tables);
	return flow;
}

/* Adds a packet to its flow's window. A leaf that holds from now on, or 0. */
SHARED __u32 classify_window(struct tables *tables, const struct model *model, struct pulse *flow,
			     struct scratch *scratch, const struct seen *seen)
{
	__u32 leaf;

	classify_add(tables, model, flow, seen, &scratch->added);
	if (!scratch->added.full)
		return 0;
	classify_read(tables, model, flow, &seen->key, scratch);
	leaf = model_decide(model, scratch);
	return leaf && confirm(flow, LEAF_CLASS(leaf), model->confirm) ? leaf : 0;
}

#define REST_AFTER 8 /* windows in a row with one class */
#define REST_SLOWEST_US 500000 /* a slower flow costs little, and may die meanwhile */

/* Where a flow may stand that passes without a look. NULL: it may not. */
SHARED struct rest *classify_rest(struct tables *tables, const struct model *model,
				  const struct rest_key *key, const struct seen *seen)
{
	if (!model->rest || table_slides(tables) || seen->key.family != 4 ||
	    seen->key.protocol != CLASSIFY_UDP)
		return 0;
	return table_rest(tables, rest_place(key));
}

/* Whether a packet passes without a look. */
SHARED int classify_passes(struct tables *tables, const struct model *model,
			   const struct seen *seen, struct added *added, struct outcome *outcome)
{
	const struct rest_key key = rest_key(&seen->key);
	struct rest *rest = classify_rest(tables, model, &key, seen);

	added->passed = 0;
	if (!rest)
		return 0;
	if (!rest_passes(rest, &key, seen->moment.length)) {
		added->passed = rest_end(rest, &key);
		return 0;
	}
	rest_outcome(rest, outcome);
	return 1;
}

/*
 * Lets a flow pass from now on if its windows agree and nothing bounds it. What passes is counted
 * by the guard later, so of a preferred flow it is no more than a quarter of the guard's burst.
 */
SHARED void classify_let_pass(struct tables *tables, const struct model *model, struct pulse *flow,
			      const struct seen *seen, const struct added *added,
			      const struct outcome *outcome)
{
	const struct rest_key key = rest_key(&seen->key);
	int is_preferred = outcome->verdict == VERDICT_CLASS;
	struct rest *rest;

	if (flow->run < REST_AFTER || added->interval > REST_SLOWEST_US ||
	    (!is_preferred && outcome->verdict != VERDICT_NONE))
		return;
	rest = classify_rest(tables, model, &key, seen);
	if (rest && rest_begin(rest, &key, model->rest,
			       is_preferred ? model->guard_burst / 4 : REST_ANY_BYTES, outcome))
		jumping_pause((struct jumping *)flow);
}

/*
 * scratch is what the packet's window shows: its values where it is full. The decision is looked up
 * last, so that the kernel's verifier need not follow the window with it and without it.
 */
SHARED void classify(struct tables *tables, const struct model *model, struct scratch *scratch,
		     const struct seen *seen, struct outcome *outcome)
{
	struct decision *decision = 0;
	struct pulse *flow;
	__u32 leaf = 0;

	outcome->mark = 0;
	outcome->class = CLASS_NONE;
	outcome->confidence = outcome->fresh = 0;
	outcome->verdict = VERDICT_NONE;
	if (!classify_knows(model, &seen->key))
		return;
	if (classify_passes(tables, model, seen, &scratch->added, outcome))
		return;
	scratch->added.interval = GAP_NONE;
	scratch->added.full = scratch->added.new = 0;
	flow = classify_flow(tables, model, seen);
	if (flow)
		leaf = classify_window(tables, model, flow, scratch, seen);
	if (!flow || !flow->undecided)
		decision = classify_recall(tables, model, seen);
	if (leaf) {
		decision = classify_settle(tables, model, decision, seen, leaf);
		outcome->fresh = 1;
		if (decision)
			decision->by_header = scratch->view.header &&
					      (model->headers || scratch->view.terminal);
		outcome->class = LEAF_CLASS(leaf);
		outcome->confidence = LEAF_CONFIDENCE(leaf);
	}
	if (flow)
		flow->undecided = !decision;
	if (decision)
		classify_decided(tables, model, decision, seen, &scratch->added, outcome);
	else
		classify_probation(tables, model, seen, &scratch->added, outcome);
	if (flow && outcome->fresh)
		classify_let_pass(tables, model, flow, seen, &scratch->added, outcome);
}

#endif
