// SPDX-License-Identifier: Apache-2.0
/*
 * The schedule of a line, for another implementation to be compared with: the options as numbers on
 * one line, then a line "arrives_ns bytes" for each frame. Prints for each frame in order of arrival
 * "fate time_ns": refused and dropped: when; lost and leaves: when it leaves.
 */
#include "line/schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define FRAMES_MOST 100000

struct outcome {
	char fate;
	uint64_t time_ns;
};

static struct outcome outcome[FRAMES_MOST];

static const char letters[] = { [FATE_LEAVES] = 's', [FATE_DROPPED] = 'd', [FATE_LOST] = 'l' };

static void take_all(struct schedule *schedule, uint64_t until_ns)
{
	const struct slot *slot;

	while ((slot = schedule_take(schedule, until_ns))) {
		outcome[slot->place] = (struct outcome){ letters[slot->fate], slot->leaves_ns };
		schedule_release(schedule);
	}
}

static int read_options(struct schedule_options *options)
{
	unsigned int aqm, atm;
	int count = scanf("%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu32 "%" SCNu64
			  "%u%" SCNd32 "%u%" SCNu32,
			  &options->rate_bps, &options->buffer_packets, &options->buffer_bytes,
			  &options->fixed_ns, &options->loss_ppb, &options->seed, &aqm,
			  &options->overhead_bytes, &atm, &options->frame_most);

	options->aqm = (enum aqm)aqm;
	options->atm = atm;
	return count == 10;
}

/* argv: how many frames come between two looks at what may leave. */
int main(int argc, char **argv)
{
	unsigned int between = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	struct schedule_options options;
	struct schedule schedule;
	uint64_t arrives_ns;
	uint32_t bytes, count = 0;

	if (!read_options(&options) || schedule_open(&schedule, &options, FRAMES_MOST))
		return EXIT_FAILURE;
	while (count < FRAMES_MOST && scanf("%" SCNu64 "%" SCNu32, &arrives_ns, &bytes) == 2) {
		if (!schedule_arrive(&schedule, arrives_ns, bytes, count))
			outcome[count] = (struct outcome){ 'd', arrives_ns };
		if (++count % between == 0)
			take_all(&schedule, arrives_ns);
	}
	take_all(&schedule, SCHEDULE_NEVER - 1);
	for (uint32_t i = 0; i < count; i++)
		printf("%c %" PRIu64 "\n", outcome[i].fate, outcome[i].time_ns);
	schedule_close(&schedule);
	return EXIT_SUCCESS;
}
