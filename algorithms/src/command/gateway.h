/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the command `gateway` share: a primitive is built, timed, and recorded. */
#ifndef GM_COMMAND_GATEWAY_H
#define GM_COMMAND_GATEWAY_H

#include "gm/random.h"
#include "program/ask.h"
#include "program/timing.h"

#include <stdint.h>

/* A primitive: takes its words, and prints a record. */
typedef int primitive(struct ask *ask, const char *name);

primitive gateway_flow; /* look-ups, insertions and expiry in a table of flows */
primitive gateway_checksum; /* csum */
primitive gateway_incremental; /* csum-inc */
primitive gateway_nat; /* a frame from parsing to storing */
primitive gateway_parse; /* headers of a capture */
primitive gateway_crc;
primitive gateway_memcpy;
primitive gateway_tbf; /* token buckets */
primitive gateway_wheel; /* timers */
primitive gateway_sched; /* queues */
primitive gateway_aead; /* ciphers of the kernel */
primitive gateway_compress; /* a compressor of the distribution */

struct gateway {
	struct timing timing;
	uint64_t began_ns; /* of building */
	double build_s;
	uint64_t bytes; /* of what a pass works on */
	uint32_t *results; /* of a pass, in the order of its operations */
	uint32_t count; /* of results */
};

/* Takes the words of timing, refuses words that nobody took, and begins to build. */
void gateway_build(struct gateway *gateway, struct ask *ask, uint32_t results);

/* Whether there is memory for it; if not, a record says so. */
int gateway_fits(struct ask *ask, const char *name, uint64_t bytes);

/* Times passes of `operations`; `prepare` may be NULL (timing.h). */
void gateway_time(struct gateway *gateway, void (*prepare)(void *state), void (*pass)(void *state),
		  void *state, uint64_t operations);

/* Begins the record: the primitive, its implementation, and the digest of the results. */
void gateway_record(const struct gateway *gateway, const char *name, const char *impl);

/* Ends the record, and frees the results. */
int gateway_end(struct gateway *gateway, uint64_t operations);

/* Instead of all that follows gateway_build: a record that says why nothing was timed; 0. */
int gateway_skipped(struct gateway *gateway, const char *name, const char *why);

/* Bytes by random numbers of a seed. */
void gateway_fill(uint8_t *bytes, uint64_t count, uint64_t seed);

#endif
