// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A class holds when the tree gave it once, and again as many times in a row as a model asks for. */
#ifndef GM_CONFIRM_H
#define GM_CONFIRM_H

#include "classifier/core/window.h"

#define CONFIRM_MOST 254

/* Whether the class of this result holds now. */
SHARED int confirm(struct pulse *pulse, __u32 result, __u32 times)
{
	if (!pulse->run || pulse->result != result)
		pulse->run = 0;
	pulse->result = result & 0xff;
	if (pulse->run < CONFIRM_MOST + 1)
		pulse->run = (pulse->run + 1) & 0xff;
	return pulse->run > times;
}

#endif
