/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet frames in memory: of a capture, or made. */
#ifndef GM_PROGRAM_FRAMES_H
#define GM_PROGRAM_FRAMES_H

#include <stdint.h>

struct frames {
	uint8_t *bytes;
	uint32_t *begins; /* of each frame in bytes; one more entry ends the last */
	uint32_t count;
};

/*
 * Reads a pcap file of Ethernet, in either byte order. What is cut off is used as far as it goes.
 * Ends the program with 2 where the file is none, holds no frame, or is larger than 1 GiB.
 */
void frames_read(struct frames *frames, const char *path);

/* `count` frames of what gateways see: IPv4 and IPv6, TCP and UDP, some with a VLAN tag. */
void frames_make(struct frames *frames, uint32_t count);

/* One frame of 60 bytes (64 on the wire): IPv4 and UDP, both checksums right. */
void frames_udp(uint8_t *frame, uint32_t source, uint32_t destination, uint32_t ports);

void frames_free(struct frames *frames);

#endif
