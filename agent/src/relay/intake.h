// SPDX-License-Identifier: Apache-2.0
/*
 * Every frame that comes to a device, whole and with the kernel's arrival stamp, through a
 * TPACKET_V2 ring (Documentation/networking/packet_mmap.rst): a frame is there as soon as it has
 * come. The device is promiscuous; what this host itself sends on it is not seen.
 */
#ifndef GM_INTAKE_H
#define GM_INTAKE_H

#include "kernel/device.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTAKE_TAG_BYTES 4u /* a VLAN tag that the kernel took off and that is put in again */

struct intake {
	int fd; /* readable while frames are there */
	uint8_t *memory;
	size_t slot_bytes, slots, next;
};

struct intake_frame {
	const uint8_t *bytes;
	uint32_t length; /* with its tag */
	uint32_t tag; /* 0: none; else type and TCI of IEEE 802.1Q, to stand behind the addresses */
	uint64_t stamp_ns; /* CLOCK_REALTIME */
	bool whole; /* it fitted into the ring */
	bool unfinished; /* its checksum is left to the sending device */
};

/* Faults on key. */
int intake_open(struct intake *intake, const struct device *device, const char *key,
		struct fault *fault);
void intake_close(struct intake *intake);

/* The next frame, valid until intake_next(); false if none is there. */
bool intake_look(const struct intake *intake, struct intake_frame *frame);
void intake_next(struct intake *intake);

/* Copies a frame, of so many bytes as its length says. */
void intake_copy(const struct intake_frame *frame, uint8_t *to);

/* Frames that found the ring full since the last call. */
uint64_t intake_dropped(const struct intake *intake);

#endif
