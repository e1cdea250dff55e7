/* SPDX-License-Identifier: Apache-2.0 */
#include "command/platform.h"

#include "command/commands.h"

int platform_command(struct ask *ask)
{
	static const char *const names[] = { "stream",	  "latency", "clock",
					     "bandwidth", "cores",   NULL };
	static int (*const measures[])(struct ask *) = { platform_stream, platform_latency,
							 platform_clock, platform_bandwidth,
							 platform_cores };

	ask_text(ask, "measure", NULL);
	return measures[ask_choice(ask, "measure", names)](ask);
}
