// SPDX-License-Identifier: Apache-2.0
/*
 * The rings that bpf/capture.bpf.c fills, one for each CPU, in this process's memory. Looking into
 * them is no system call.
 */
#ifndef GM_CAPTURE_RINGS_H
#define GM_CAPTURE_RINGS_H

#include "bpf/capture.h"
#include "capture/file.h"
#include "kernel/bpf.h"
#include "talk/fault.h"

#include <stddef.h>
#include <stdint.h>

struct rings {
	struct bpf_map map;
	uint8_t *memory;
	uint32_t ring_bytes; /* of each; a power of two */
	unsigned int count;
	uint64_t *seen; /* each ring's head at the last look */
};

#define RINGS_PRESET_BYTES (4u << 20) /* of memory, where nothing else is asked for */

/*
 * The size of each of so many rings, the largest power of two of which all take at most `bytes` of
 * memory; 0: none that holds packets of this snaplen does. Where bytes is 0 they take
 * RINGS_PRESET_BYTES, or more where so many need it.
 */
uint32_t rings_choose_size(uint64_t bytes, uint32_t snaplen, unsigned int count);

/* Makes rings of that size. 0 or -errno with the fault of key "memory_bytes" filled. */
int rings_open(struct rings *rings, uint64_t bytes, uint32_t snaplen, struct fault *fault);

/* Hands all whole blocks to the file, ring by ring, and makes their room free. */
void rings_drain(struct rings *rings, struct capture_file *file);

/* How full the fullest ring is, of 100. */
unsigned int rings_fullness(const struct rings *rings);

/* Sums over all rings; each field is as in struct capture_ring. */
struct rings_count {
	uint64_t captured, full, bytes;
};
struct rings_count rings_count(const struct rings *rings);

/* Sets what turns the monotonic clock into the time of day, which may be set meanwhile. */
void rings_set_clock(struct rings *rings);

void rings_close(struct rings *rings);

#endif
