// SPDX-License-Identifier: Apache-2.0
/*
 * The test header with a tag (PROTOCOL.md): a keyed hash in place of magic and run, so that nobody
 * who lacks the trial's key makes a packet that counts. Also 14 bytes, big-endian.
 */
#ifndef GM_TAGGED_H
#define GM_TAGGED_H

#include "bpf/tag.h"
#include "frame/header.h"
#include "talk/fault.h"

/* What a request's key says, 32 hexadecimal digits. -EINVAL with the fault filled. */
int tagged_key(const char *text, struct siphash_key *key, struct fault *fault);

/* As header_write(): returns the sum of the seven 16-bit words. */
uint32_t tagged_write(uint8_t *bytes, const struct header *header, const struct siphash_key *key);

/* Reads what is behind the tag, whoever made it. False: the tag is wrong. `run` is 0. */
bool tagged_read(struct header *header, const uint8_t bytes[HEADER_BYTES],
		 const struct siphash_key *key);

#endif
