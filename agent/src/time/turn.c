// SPDX-License-Identifier: Apache-2.0
/* Whose turn it is. */
#include "time/turn.h"

#define REST 5 /* the part of a turn that is rest: a fifth */

uint64_t turn_from(const struct turn *turn, uint64_t now_ns)
{
	uint64_t round_ns, since_ns, begins_ns;

	if (turn->of < 2)
		return now_ns;
	round_ns = turn->of * turn->length_ns;
	since_ns = now_ns % round_ns;
	begins_ns = turn->at * turn->length_ns;
	if (since_ns < begins_ns)
		return now_ns - since_ns + begins_ns;
	if (since_ns - begins_ns < turn->length_ns - turn->length_ns / REST)
		return now_ns;
	return now_ns - since_ns + round_ns + begins_ns;
}
