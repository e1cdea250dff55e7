// SPDX-License-Identifier: Apache-2.0
/*
 * Guards: a UDP socket on each port that a ring listens to, which drops all it gets. Without one
 * the host would answer every packet with an ICMP "port unreachable", through the gateway and at
 * the cost of its CPU.
 */
#ifndef GM_GUARD_H
#define GM_GUARD_H

#include "talk/fault.h"
#include "talk/request.h"

struct guard {
	int *fd;
	size_t count;
};

/* No ports: no guards. */
int guard_open(struct guard *guard, int family, const struct integers *ports, struct fault *fault);
void guard_close(struct guard *guard);

#endif
