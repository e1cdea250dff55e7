// SPDX-License-Identifier: Apache-2.0
/*
 * The other source of a capture, for kernels without BPF: AF_PACKET with a TPACKET_V3 ring
 * (Documentation/networking/packet_mmap.rst), as libpcap's. Its packets become the same blocks.
 */
#ifndef GM_CAPTURE_PACKETS_H
#define GM_CAPTURE_PACKETS_H

#include "capture/file.h"
#include "capture/filter.h"
#include "talk/fault.h"
#include "talk/request.h"

#include <stddef.h>
#include <stdint.h>

#define PACKETS_RETIRE_MS 50 /* the kernel hands a block over when it is so old, or full */

struct packets_device {
	int fd; /* -1: none */
	uint8_t *memory;
	size_t bytes, next; /* of the ring; the block to be handed over next */
};

struct packets {
	const struct texts *devices;
	unsigned int ways; /* bits of enum hooks_way */
	uint32_t snaplen;
	const struct filter *filter;
	uint64_t memory_bytes;

	struct packets_device device[CAPTURE_INTERFACES_MOST / 2];
	uint8_t *block; /* room for the blocks of one hand-over */
	uint64_t captured, dropped, bytes;
};

/* 0 or -errno with the fault filled. */
int packets_open(struct packets *packets, struct fault *fault);

/* Hands what the kernel has handed over to the file. */
void packets_drain(struct packets *packets, struct capture_file *file);

/* Adds what the kernel dropped since. */
void packets_count(struct packets *packets);

void packets_close(struct packets *packets);

#endif
