// SPDX-License-Identifier: Apache-2.0
/*
 * Receives whole frames of one IP version through a TPACKET_V2 ring. Unlike the sink's V3 ring
 * (port/ring.c), which hands over blocks up to 10 ms old, a frame is there as soon as it has come:
 * the far side has to know the port behind which a flow is masked before it answers. The player
 * looks whenever it waits anyway, and is woken where packets wait for an arrival.
 */
#ifndef GM_INLET_H
#define GM_INLET_H

#include "replay/arrive.h"
#include "talk/fault.h"
#include "time/step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inlet {
	int fd;
	uint8_t *memory;
	size_t frame_bytes, frames; /* slots */
	size_t next;
	uint64_t offset_ns; /* from CLOCK_REALTIME to CLOCK_MONOTONIC */
	struct step step; /* of CLOCK_REALTIME, since inlet_open() */
	uint64_t dropped; /* valid after inlet_settle() */
};

/* What an inlet is for. */
struct inlet_options {
	int device_index, family;
	uint32_t packet_most; /* bytes of the largest IP packet */
	size_t ring_bytes;
	/* Others' packets cross the device, too: only those from, or to, this address; NULL: all. */
	const uint8_t *far;
	bool from_far;
};

int inlet_open(struct inlet *inlet, const struct inlet_options *options, struct fault *fault);
void inlet_close(struct inlet *inlet);

/* Reads the offset of the clocks again, which drifts, and whether one was set. */
void inlet_tune(struct inlet *inlet);

/* The next frame, valid until inlet_next(); false if none waits. */
bool inlet_look(const struct inlet *inlet, struct arrived *frame);
void inlet_next(struct inlet *inlet);

/* The last frame was seen: reads what was dropped, and the clocks for the last time. */
void inlet_settle(struct inlet *inlet);

#endif
