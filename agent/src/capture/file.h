// SPDX-License-Identifier: Apache-2.0
/*
 * Where a capture goes: files, one after the other, or a pipe; as pcapng
 * (draft-ietf-opsawg-pcapng) or pcap (draft-ietf-opsawg-pcap) with times in ns. It takes whole
 * Enhanced Packet Blocks in the host's byte order and leaves whole records only: what a full disk
 * cut off is taken back.
 */
#ifndef GM_CAPTURE_FILE_H
#define GM_CAPTURE_FILE_H

#include "capture/format.h"
#include "talk/fault.h"

#include <stddef.h>
#include <stdint.h>

struct capture_file {
	/* As asked for. */
	const char *path;
	struct capture_kind kind;
	uint64_t rotate_bytes, rotate_ns; /* a new file after so many; 0: never */
	uint64_t keep; /* files that are kept, the newest; 0: all */

	/* As it stands. */
	int fd;
	int is_regular; /* a file, of which a part can be taken back */
	uint64_t number; /* of this file, from 1 */
	uint64_t base_bytes; /* what was in it before ours: of a descriptor that we were given */
	uint64_t file_bytes, opened_ns;
	uint64_t bytes; /* of all files */
	uint64_t lost; /* packets that the disk or the pipe did not take; the others are written */
	int error; /* the last, also of a rotation, which costs no packet; 0: none */
	uint8_t *record; /* room for records as pcap has them */
};

/* Opens the first file and writes its header. 0 or -errno with the fault of key "file" filled. */
int capture_file_open(struct capture_file *file, struct fault *fault);

/* Writes blocks, rotating before them at most once. What fails is counted. */
void capture_file_put(struct capture_file *file, const uint8_t *blocks, size_t bytes);

void capture_file_close(struct capture_file *file);

#endif
