// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What slow.bpf.c and the agent's verb slow (agent/src/verbs/slow.c) share.
 * Kernel floor: Linux 5.17, for bpf_loop().
 */
#ifndef GM_SLOW_H
#define GM_SLOW_H

/* The program's section. */
#define SLOW_SECTION "tc"

/* Maps, both with one entry of 64 bits under key 0. */
#define SLOW_WAIT "slow_wait" /* array: how long each packet waits, in ns; written by the agent */
#define SLOW_PACKETS                                                                               \
	"slow_packets" /* per-CPU array: packets (segments) that waited; read by the agent */

/* The longest wait that the program can hold: its loop makes 2^22 steps of some 30 ns at most. */
#define SLOW_WAIT_MOST_NS 10000000

#endif
