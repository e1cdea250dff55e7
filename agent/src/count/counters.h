// SPDX-License-Identifier: Apache-2.0
/* What an interface of this namespace has counted, by rtnetlink. */
#ifndef GM_COUNTERS_H
#define GM_COUNTERS_H

#include <stdint.h>

struct counters {
	uint64_t sent_packets, sent_bytes;
	uint64_t sent_dropped; /* handed to the interface and not sent */
};

/* Reads the counters of an interface by its index. 0 or -errno. Linux 4.7. */
int counters_read(struct counters *counters, int index);

#endif
