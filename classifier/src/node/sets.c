// SPDX-License-Identifier: Apache-2.0
/* What is in the sets, and who put it there; the keeper puts it. */
#include "node/sets.h"
#include "node/keeper.h"
#include "time/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LATER_S 2 /* nft hears of a flow after us, and the kernel clears away once a second */

/*
 * Elements of a set. Above what we hold there is room for those that ended and were not cleared
 * away yet, and for those that one transaction takes away and adds: some thousands. So many cost
 * the kernel no more memory than SETS_FLOWS: its hash table has a power of two of places, at least
 * 4/3 of this.
 */
#define ELEMENTS (SETS_FLOWS / 2 * 3)

static int tell(const struct sets *sets, const struct keeper_word *word)
{
	return send(sets->keeper, word, sizeof(*word), MSG_NOSIGNAL) == sizeof(*word) ? 0 : -EPIPE;
}

int sets_lost(struct fault *fault)
{
	return fault_set(fault, -EPIPE, NULL, "start it anew",
			 "the process that sets the rules has gone");
}

/* 0 or -errno with the fault filled. */
static int ask(const struct sets *sets, enum keeper_what what, struct fault *fault)
{
	const struct keeper_word word = { .what = (uint8_t)what };
	int32_t answer;

	if (tell(sets, &word) ||
	    recv(sets->keeper, &answer, sizeof(answer), MSG_WAITALL) != sizeof(answer))
		return sets_lost(fault);
	if (answer == -EIO)
		return fault_set(fault, -EIO, NULL, "see what nft wrote; it needs root",
				 "nft refused the sets of flows");
	return answer ? fault_system(fault, answer, NULL, "nft") : 0;
}

int sets_open(struct sets *sets, uint32_t mark, uint32_t mask, struct fault *fault)
{
	const struct keeper_options options = { mark, mask, ELEMENTS };
	int error;

	*sets = (struct sets){ .keeper = -1 };
	error = held_open(&sets->held);
	if (error)
		return fault_system(fault, error, NULL, "the flows that are held");
	sets->keeper = keeper_start(&options);
	return sets->keeper < 0 ? fault_system(fault, sets->keeper, NULL, "a second process") : 0;
}

int sets_renew(struct sets *sets, struct fault *fault)
{
	held_clear(&sets->held);
	sets->waiting = 0;
	return ask(sets, KEEPER_RENEW, fault);
}

/* Returns when the table has gone. */
void sets_close(struct sets *sets)
{
	int32_t answer;

	if (sets->keeper >= 0) {
		shutdown(sets->keeper, SHUT_WR);
		while (recv(sets->keeper, &answer, sizeof(answer), 0) > 0)
			;
		close(sets->keeper);
	}
	held_close(&sets->held);
	*sets = (struct sets){ .keeper = -1 };
}

static void write_order(struct sets *sets, const struct order *order, const char *name)
{
	struct keeper_word word = { .what = KEEPER_ORDER, .order = *order };

	if (name)
		memcpy(word.name, name, strnlen(name, sizeof(word.name) - 1));
	tell(sets, &word); /* that it has gone is known when it is asked */
	sets->waiting++;
}

void sets_take(struct sets *sets, const struct order *order, const char *name, enum held_by by)
{
	uint32_t now_s = (uint32_t)(clock_now() / NS_PER_S);
	uint32_t most = by == HELD_KEYED ? SETS_FLOWS : SETS_FLOWS_UNKEYED;
	bool is_taken;

	if (order->action == ORDER_PREFER)
		is_taken = held_take(&sets->held, &order->key, by, now_s + order->ttl_s + LATER_S,
				     now_s, most);
	else
		is_taken = held_drop(&sets->held, &order->key, by, now_s);
	if (is_taken)
		write_order(sets, order, name);
	if (order->action != ORDER_PREFER)
		sets->removed += is_taken;
	else if (is_taken)
		sets->added++;
	else
		sets->untaken++;
}

int sets_apply(struct sets *sets, struct fault *fault)
{
	if (!sets->waiting)
		return 0;
	sets->waiting = 0;
	return ask(sets, KEEPER_APPLY, fault);
}
