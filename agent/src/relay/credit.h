// SPDX-License-Identifier: Apache-2.0
/*
 * How long a thread may spin: it earns a part of the time that goes by and spends what it is awake.
 * A loop that would take all of a CPU sleeps in between, so the rest stays free.
 */
#ifndef GM_CREDIT_H
#define GM_CREDIT_H

#include <stdbool.h>
#include <stdint.h>

#define CREDIT_MOST_NS 4000000 /* saved at most */
#define CREDIT_LOW_NS 1000000

struct credit {
	int64_t ns;
	uint64_t since_ns; /* accounted for up to then */
};

/* Awake until now_ns: a quarter of it is more than was earned. */
static inline void credit_spend(struct credit *credit, uint64_t now_ns)
{
	credit->ns -= (int64_t)(now_ns - credit->since_ns) / 4;
	credit->since_ns = now_ns;
	if (credit->ns < -CREDIT_MOST_NS)
		credit->ns = -CREDIT_MOST_NS;
}

/* Asleep until now_ns: three quarters of it are earned. */
static inline void credit_earn(struct credit *credit, uint64_t now_ns)
{
	credit->ns += (int64_t)(now_ns - credit->since_ns) * 3 / 4;
	credit->since_ns = now_ns;
	if (credit->ns > CREDIT_MOST_NS)
		credit->ns = CREDIT_MOST_NS;
}

/* It never slept for long: it has to. */
static inline bool credit_is_out(const struct credit *credit)
{
	return credit->ns <= -CREDIT_MOST_NS;
}

/* How long to spin at most: all of it, half where little is left, not at all. */
static inline uint64_t credit_spin(const struct credit *credit, uint64_t spin_ns)
{
	if (credit->ns <= 0)
		return 0;
	return credit->ns < CREDIT_LOW_NS ? spin_ns / 2 : spin_ns;
}

#endif
