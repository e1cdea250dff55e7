// SPDX-License-Identifier: Apache-2.0
/* Opens a set of streams and starts it. */
#ifndef GM_STREAM_OPEN_H
#define GM_STREAM_OPEN_H

#include "stream/streams.h"
#include "talk/fault.h"
#include "talk/talk.h"

/* Opens the sockets up to where the verb is ready: connected, or listening. */
int streams_open(struct streams *streams, const struct streams_options *options, struct talk *talk,
		 struct fault *fault);

/* Waits for start (a listener also until it has accepted all streams) and answers it: t0. */
int streams_start(struct streams *streams, struct fault *fault);

#endif
