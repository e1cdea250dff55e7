// SPDX-License-Identifier: Apache-2.0
/* pcapng (draft-ietf-opsawg-pcapng): sections of either byte order, several interfaces. */
#ifndef GM_PCAPNG_H
#define GM_PCAPNG_H

#include "replay/capture.h"

/* Reads the first section's header and sets capture->next. 0, or -EINVAL with the fault filled. */
int pcapng_open(struct capture *capture, struct fault *fault);

#endif
