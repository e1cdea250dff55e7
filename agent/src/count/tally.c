// SPDX-License-Identifier: Apache-2.0
/* Memory of a sink's counts. */
#include "count/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *tally_take(size_t count, size_t bytes)
{
	void *memory = NULL;

	if (!__builtin_mul_overflow(count, bytes, &bytes))
		memory = malloc(bytes);
	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

int tally_open(struct tally *tally, const struct tally_options *options, struct fault *fault)
{
	memset(tally, 0, sizeof(*tally));
	tally->options = *options;
	tally->flow = tally_take(options->flows, sizeof(*tally->flow));
	if (!tally->flow)
		return fault_system(fault, -ENOMEM, "flows", "memory for the flows");
	for (uint32_t i = 0; i < options->flows; i++)
		tally->flow[i].highest = -1;
	tally->bin = tally_take(options->bins, sizeof(*tally->bin));
	if (!tally->bin)
		return fault_system(fault, -ENOMEM, "bins", "memory for the bins");
	tally->queue = tally_take(options->queues, sizeof(*tally->queue));
	if (!tally->queue)
		return fault_system(fault, -ENOMEM, NULL, "memory for the receive queues");
	if (!options->delay_by_flow)
		return 0;
	tally->flow_delay = tally_take(options->flows, sizeof(*tally->flow_delay));
	if (!tally->flow_delay)
		return fault_system(fault, -ENOMEM, "delay", "memory for each flow's delays");
	return 0;
}

void tally_close(struct tally *tally)
{
	free(tally->flow);
	free(tally->bin);
	free(tally->queue);
	free(tally->flow_delay);
	tally->flow = NULL;
	tally->bin = NULL;
	tally->queue = NULL;
	tally->flow_delay = NULL;
}
