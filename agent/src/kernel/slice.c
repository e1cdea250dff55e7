// SPDX-License-Identifier: Apache-2.0
#include "kernel/slice.h"
#include "time/clock.h"

#include <linux/sched.h>
#include <linux/sched/types.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHORTEST_NS (100 * NS_PER_US) /* the kernel takes no less */

void slice_shorten(void)
{
	struct sched_attr own;

	memset(&own, 0, sizeof(own));
	if (syscall(SYS_sched_getattr, 0, &own, sizeof(own), 0) < 0)
		return;
	if (own.sched_policy != SCHED_NORMAL)
		return;
	own.sched_runtime = SHORTEST_NS;
	(void)!syscall(SYS_sched_setattr, 0, &own, 0);
}
