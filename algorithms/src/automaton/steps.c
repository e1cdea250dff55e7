/* SPDX-License-Identifier: Apache-2.0 */
#include "automaton/steps.h"

#include "common/grow.h"

#include <string.h>

enum gm_step_kind { STEP_SET, STEP_FORK, STEP_ASSERT, STEP_MATCH };

#define UNKNOWN (UINT32_MAX - 1)
#define NO_STEP UINT32_MAX
#define NO_CLOSURE UINT32_MAX

void gm_steps_init(struct gm_steps *steps, const struct gm_forest *forest, uint64_t max_bytes)
{
	memset(steps, 0, sizeof(*steps));
	steps->forest = forest;
	steps->max_bytes = max_bytes ? max_bytes : UINT64_C(256) << 20;
}

void gm_steps_free(struct gm_steps *steps)
{
	free(steps->steps);
	free(steps->closures);
	free(steps->exits);
	free(steps->known);
	free(steps->levels);
	free(steps->stack);
	free(steps->reached);
	memset(steps, 0, sizeof(*steps));
}

/* A new step; NO_STEP without memory, also if `next` is none. */
static uint32_t step(struct gm_steps *steps, uint32_t kind, uint32_t value, uint32_t next)
{
	void *grown = gm_grow(steps->steps, &steps->step_room, steps->step_count + 1,
			      sizeof(struct gm_step));

	if (!grown || next == NO_STEP)
		return NO_STEP;
	steps->steps = grown;
	steps->steps[steps->step_count].kind = kind;
	steps->steps[steps->step_count].value = value;
	steps->steps[steps->step_count].next = next;
	return steps->step_count++;
}

static uint32_t compile(struct gm_steps *steps, uint32_t index, uint32_t next);

/* x* is a fork that x leads back to; x{n,} is n - 1 copies before x and its fork. */
static uint32_t compile_loop(struct gm_steps *steps, const struct gm_node *node, uint32_t next)
{
	uint32_t fork = step(steps, STEP_FORK, 0, next);
	uint32_t body = fork == NO_STEP ? NO_STEP : compile(steps, node->first, fork);
	uint32_t entry = node->least ? body : fork;

	if (body == NO_STEP)
		return NO_STEP;
	steps->steps[fork].value = body;
	for (uint32_t i = 1; i < node->least && entry != NO_STEP; i++)
		entry = compile(steps, node->first, entry);
	return entry;
}

/* x{n,m} is n copies, then m - n that are nested, x(x(x)?)?, so that each has one way out. */
static uint32_t compile_repeat(struct gm_steps *steps, const struct gm_node *node, uint32_t next)
{
	uint32_t entry = next;

	if (!node->elements)
		return next;
	if (node->most == GM_REGEX_UNBOUNDED)
		return compile_loop(steps, node, next);
	for (uint32_t i = node->least; i < node->most && entry != NO_STEP; i++) {
		uint32_t body = compile(steps, node->first, entry);

		entry = body == NO_STEP ? NO_STEP : step(steps, STEP_FORK, body, next);
	}
	for (uint32_t i = 0; i < node->least && entry != NO_STEP; i++)
		entry = compile(steps, node->first, entry);
	return entry;
}

static uint32_t compile_either(struct gm_steps *steps, const struct gm_node *node, uint32_t next)
{
	const struct gm_node *nodes = steps->forest->nodes;
	uint32_t entry = compile(steps, node->last, next);

	for (uint32_t child = nodes[node->last].previous; child && entry != NO_STEP;
	     child = nodes[child].previous) {
		uint32_t branch = compile(steps, child, next);

		entry = branch == NO_STEP ? NO_STEP : step(steps, STEP_FORK, branch, entry);
	}
	return entry;
}

/* The steps of a node that lead to `next`: the last is compiled first. */
static uint32_t compile(struct gm_steps *steps, uint32_t index, uint32_t next)
{
	const struct gm_node *nodes = steps->forest->nodes;
	const struct gm_node *node = &nodes[index];

	switch (node->kind) {
	case GM_NODE_SET:
		return step(steps, STEP_SET, node->value, next);
	case GM_NODE_ASSERT:
		return step(steps, STEP_ASSERT, node->value, next);
	case GM_NODE_REPEAT:
		return compile_repeat(steps, node, next);
	case GM_NODE_EITHER:
		return compile_either(steps, node, next);
	default:
		for (uint32_t child = node->last; child && next != NO_STEP;
		     child = nodes[child].previous)
			next = compile(steps, child, next);
		return next;
	}
}

static int make_room(struct gm_steps *steps)
{
	uint32_t room = steps->work_room;
	uint32_t rooms[4] = { room * 4, room, room * 4, room };
	uint32_t need = steps->step_count;
	void *known = gm_grow(steps->known, &rooms[0], 4 * need, sizeof(uint32_t));
	void *levels;
	void *stack;
	void *reached;

	steps->known = known ? known : steps->known;
	levels = gm_grow(steps->levels, &rooms[1], need, 1);
	steps->levels = levels ? levels : steps->levels;
	/* A step can be on the stack once for each level. */
	stack = gm_grow(steps->stack, &rooms[2], 4 * need, sizeof(uint32_t));
	steps->stack = stack ? stack : steps->stack;
	reached = gm_grow(steps->reached, &rooms[3], need, sizeof(uint32_t));
	steps->reached = reached ? reached : steps->reached;
	if (!known || !levels || !stack || !reached)
		return GM_MATCH_MEMORY;
	steps->work_room = need > room ? need : room;
	memset(steps->levels, GM_LEVEL_NEVER, need);
	for (uint32_t i = 0; i < 4 * need; i++)
		steps->known[i] = UNKNOWN;
	return GM_MATCH_OK;
}

int gm_steps_compile(struct gm_steps *steps, uint32_t root, uint32_t first_place)
{
	uint32_t match;

	steps->step_count = 0;
	steps->closure_count = 0;
	steps->done = 0;
	steps->exit_count = 0;
	steps->first_place = first_place;
	memset(steps->heads, 0xff, sizeof(steps->heads));
	match = step(steps, STEP_MATCH, 0, 0);
	steps->entry = match == NO_STEP ? NO_STEP : compile(steps, root, match);
	return steps->entry == NO_STEP ? GM_MATCH_MEMORY : make_room(steps);
}

/* The level with which an assertion lets pass, GM_LEVEL_NEVER if it does not hold here. */
static uint32_t passed(uint32_t kind, enum gm_after after, uint32_t level)
{
	uint32_t needed = GM_LEVEL_NONE;

	switch (kind) {
	case GM_ASSERT_START:
		return after == GM_AFTER_START ? level : GM_LEVEL_NEVER;
	case GM_ASSERT_LINE_START:
		return after == GM_AFTER_OTHER ? GM_LEVEL_NEVER : level;
	case GM_ASSERT_LINE_END:
		needed = GM_LEVEL_LINE_END;
		break;
	case GM_ASSERT_LAST_LINE_END:
		needed = GM_LEVEL_LAST_LINE_END;
		break;
	default:
		needed = GM_LEVEL_END;
	}
	return level > needed ? level : needed;
}

struct walk {
	struct gm_steps *steps;
	enum gm_after after;
	uint32_t depth; /* of the stack */
	uint32_t count; /* of the steps reached */
};

/* Goes to a step unless it was reached with no more demands before. */
static void reach(struct walk *walk, uint32_t index, uint32_t level)
{
	struct gm_steps *steps = walk->steps;

	if (level >= steps->levels[index])
		return;
	if (steps->levels[index] == GM_LEVEL_NEVER)
		steps->reached[walk->count++] = index;
	steps->levels[index] = (uint8_t)level;
	steps->stack[walk->depth++] = index;
}

static void follow(struct walk *walk, uint32_t index)
{
	const struct gm_step *at = &walk->steps->steps[index];
	uint32_t level = walk->steps->levels[index];

	if (at->kind == STEP_FORK) {
		reach(walk, at->value, level);
		reach(walk, at->next, level);
	} else if (at->kind == STEP_ASSERT) {
		reach(walk, at->next, passed(at->value, walk->after, level));
	}
}

static int by_value(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static int add_exit(struct gm_steps *steps, const struct gm_step *at, uint32_t level)
{
	void *grown = gm_grow(steps->exits, &steps->exit_room, steps->exit_count + 1,
			      sizeof(struct gm_exit));
	struct gm_exit *exit;

	if (!grown)
		return GM_MATCH_MEMORY;
	steps->exits = grown;
	if (steps->exit_count * (uint64_t)sizeof(struct gm_exit) > steps->max_bytes)
		return GM_MATCH_LIMIT;
	exit = &steps->exits[steps->exit_count++];
	exit->set = at->value;
	exit->next = at->next;
	exit->level = level;
	return GM_MATCH_OK;
}

static uint32_t hash(const struct gm_steps *steps, const struct gm_closure *closure)
{
	uint32_t value = closure->accept;

	for (uint32_t i = 0; i < closure->count; i++) {
		const struct gm_exit *exit = &steps->exits[closure->exits + i];

		value = (value ^ exit->next ^ exit->set << 12) * UINT32_C(0x9E3779B1) + exit->level;
	}
	return (value ^ value >> 15) % GM_STEPS_BUCKETS;
}

/* The place of a closure whose exits are the last: an old one that is equal, or a new one. */
static int intern(struct gm_steps *steps, struct gm_closure *closure, uint32_t *place)
{
	uint32_t *head = &steps->heads[hash(steps, closure)];
	void *grown;

	*place = GM_PLACE_DEAD;
	if (!closure->count && closure->accept == GM_LEVEL_NEVER)
		return GM_MATCH_OK;
	for (uint32_t i = *head; i != NO_CLOSURE; i = steps->closures[i].chain) {
		const struct gm_closure *other = &steps->closures[i];

		if (other->accept == closure->accept && other->count == closure->count &&
		    (!closure->count ||
		     memcmp(steps->exits + other->exits, steps->exits + closure->exits,
			    closure->count * sizeof(struct gm_exit)) == 0)) {
			steps->exit_count = closure->exits;
			*place = steps->first_place + i;
			return GM_MATCH_OK;
		}
	}
	grown = gm_grow(steps->closures, &steps->closure_room, steps->closure_count + 1,
			sizeof(*closure));
	if (!grown)
		return GM_MATCH_MEMORY;
	steps->closures = grown;
	closure->chain = *head;
	*head = steps->closure_count;
	steps->closures[steps->closure_count] = *closure;
	*place = steps->first_place + steps->closure_count++;
	return GM_MATCH_OK;
}

int gm_steps_accept(struct gm_steps *steps, enum gm_level level, uint32_t *place)
{
	struct gm_closure closure = { steps->exit_count, 0, level, NO_CLOSURE };

	return intern(steps, &closure, place);
}

/* Turns the steps reached into a closure. After the last newline only the end can follow. */
static int collect(struct walk *walk, struct gm_closure *closure)
{
	struct gm_steps *steps = walk->steps;
	uint32_t accept = steps->levels[0];

	if (walk->after == GM_AFTER_LAST && accept != GM_LEVEL_NEVER)
		accept = GM_LEVEL_END;
	closure->accept = accept;
	/* Found is found: what could follow does not matter any more. */
	if (accept == GM_LEVEL_NONE || walk->after == GM_AFTER_LAST)
		return GM_MATCH_OK;
	qsort(steps->reached, walk->count, sizeof(uint32_t), by_value);
	for (uint32_t i = 0; i < walk->count; i++) {
		const struct gm_step *at = &steps->steps[steps->reached[i]];
		uint32_t level = steps->levels[steps->reached[i]];
		int status = GM_MATCH_OK;

		if (at->kind == STEP_SET && level < GM_LEVEL_END)
			status = add_exit(steps, at, level);
		if (status != GM_MATCH_OK)
			return status;
	}
	closure->count = steps->exit_count - closure->exits;
	return GM_MATCH_OK;
}

int gm_steps_place(struct gm_steps *steps, uint32_t index, enum gm_after after, uint32_t *place)
{
	struct walk walk = { steps, after, 0, 0 };
	struct gm_closure closure = { steps->exit_count, 0, GM_LEVEL_NEVER, NO_CLOSURE };
	uint32_t *known = &steps->known[4 * (size_t)index + after];
	int status;

	if (*known != UNKNOWN) {
		*place = *known;
		return GM_MATCH_OK;
	}
	reach(&walk, index, GM_LEVEL_NONE);
	while (walk.depth)
		follow(&walk, steps->stack[--walk.depth]);
	status = collect(&walk, &closure);
	for (uint32_t i = 0; i < walk.count; i++)
		steps->levels[steps->reached[i]] = GM_LEVEL_NEVER;
	if (status == GM_MATCH_OK)
		status = intern(steps, &closure, place);
	*known = *place;
	return status;
}
