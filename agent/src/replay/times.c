// SPDX-License-Identifier: Apache-2.0
#include "replay/times.h"

#include <errno.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool is_far(uint64_t time_ns, uint64_t median_ns)
{
	uint64_t apart = time_ns > median_ns ? time_ns - median_ns : median_ns - time_ns;

	return apart > TIMES_APART_NS;
}

static void leave_far(struct trace *trace, uint64_t median_ns)
{
	struct left *left = &trace->left;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < trace->packets; i++) {
		const struct trace_packet *packet = &trace->packet[i];

		if (packet->timed && is_far(packet->time_ns, median_ns)) {
			left->packets[PACKET_TIME]++;
			left->bytes[PACKET_TIME] += packet->wire_bytes;
		} else {
			trace->packet[kept++] = *packet;
		}
	}
	trace->packets = kept;
}

int times_check(struct trace *trace)
{
	uint64_t *time_ns = calloc((size_t)trace->packets + 1, sizeof(*time_ns));
	size_t timed = 0;

	if (!time_ns)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->packets; i++)
		if (trace->packet[i].timed)
			time_ns[timed++] = trace->packet[i].time_ns;
	qsort(time_ns, timed, sizeof(*time_ns), compare);
	if (timed)
		leave_far(trace, time_ns[timed / 2]);
	free(time_ns);
	return 0;
}

uint64_t times_first(const struct trace *trace)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < trace->packets; i++)
		if (trace->packet[i].timed && trace->packet[i].time_ns < first)
			first = trace->packet[i].time_ns;
	return first;
}
