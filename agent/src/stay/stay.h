// SPDX-License-Identifier: Apache-2.0
/*
 * An agent that stays on a host and does one job after the other, or several at once, each in a
 * process of its own (PROTOCOL.md, "stay"). To fork costs a tenth of what it takes to enter the host
 * and to start a program there.
 */
#ifndef GM_STAY_H
#define GM_STAY_H

#include "stay/job.h"

/*
 * Takes orders from stdin until that ends or a signal asks to end, then ends all jobs. Writes what
 * they print to stderr, in frames. Returns an exit code: 1 where an order was none.
 */
int stay(job_do *work);

#endif
