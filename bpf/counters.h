// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The counters of each report: made by agent/counters.py, not by hand. */
#ifndef GM_COUNTERS_BPF_H
#define GM_COUNTERS_BPF_H

#define SINK_COUNTERS(COUNTED, READ)                                                               \
	COUNTED(received)                                                                          \
	COUNTED(unique)                                                                            \
	COUNTED(duplicated)                                                                        \
	COUNTED(reordered)                                                                         \
	COUNTED(stale)                                                                             \
	COUNTED(foreign)                                                                           \
	COUNTED(beyond)                                                                            \
	COUNTED(mark_changed)                                                                      \
	COUNTED(port_changed)                                                                      \
	COUNTED(corrupt)                                                                           \
	READ(ring_dropped)                                                                         \
	READ(clock_stepped_ns)                                                                     \
	COUNTED(bytes)                                                                             \
	READ(first_ns)                                                                             \
	READ(last_ns)                                                                              \
	COUNTED(gaps_over_1ms)

#define FLOW_COUNTERS(COUNTED, READ)                                                               \
	COUNTED(unique)                                                                            \
	COUNTED(duplicated)                                                                        \
	COUNTED(reordered)                                                                         \
	READ(highest)                                                                              \
	READ(source_port)

#define CORRUPT_BY_COUNTERS(COUNTED, READ)                                                         \
	COUNTED(ip_sum)                                                                            \
	COUNTED(udp_sum)                                                                           \
	COUNTED(no_sum)                                                                            \
	COUNTED(header)

#define REPLAY_COUNTERS(COUNTED, READ)                                                             \
	COUNTED(received)                                                                          \
	COUNTED(unique)                                                                            \
	COUNTED(duplicated)                                                                        \
	COUNTED(reordered)                                                                         \
	COUNTED(stale)                                                                             \
	COUNTED(foreign)                                                                           \
	COUNTED(unmasked)                                                                          \
	COUNTED(mark_changed)                                                                      \
	COUNTED(corrupt)                                                                           \
	READ(ring_dropped)                                                                         \
	READ(clock_stepped_ns)                                                                     \
	COUNTED(bytes)                                                                             \
	READ(first_ns)                                                                             \
	READ(last_ns)                                                                              \
	COUNTED(gaps_over_1ms)

#endif
