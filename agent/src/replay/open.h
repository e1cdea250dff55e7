// SPDX-License-Identifier: Apache-2.0
/* Which format a capture is in. */
#ifndef GM_REPLAY_OPEN_H
#define GM_REPLAY_OPEN_H

#include "replay/capture.h"

/* Recognises the format. 0, or -EINVAL with the fault filled. */
int capture_open(struct capture *capture, const char *name, const uint8_t *bytes, size_t size,
		 struct fault *fault);

#endif
