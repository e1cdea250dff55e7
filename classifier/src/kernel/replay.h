// SPDX-License-Identifier: Apache-2.0
/* A captured packet through a loaded program, with its own time (BPF_PROG_TEST_RUN, Linux 5.2). */
#ifndef GM_CLASSIFIER_REPLAY_H
#define GM_CLASSIFIER_REPLAY_H

#include "replay/packet.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether the packet's length can be written into its header, so that the program sees it. */
bool replay_can(const struct packet_view *view);

/* Runs a program with a packet. Its mark, 0 or more, or -errno. */
int64_t replay_run(int program, const struct packet_view *view, uint64_t time_us);

#endif
