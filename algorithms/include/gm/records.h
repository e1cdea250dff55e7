/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records to scan: independent byte strings, one after the other in one block. They come from a
 * file of records (a length as 32 bits little-endian, then the bytes, again and again) or are the
 * TCP and UDP payloads of a capture (pcap or pcapng; of Ethernet, PPP, raw IP, Linux cooked, loopback
 * or NFLOG; behind tags, labels, SNAP and in PPPoE sessions).
 */
#ifndef GM_RECORDS_H
#define GM_RECORDS_H

#include <stddef.h>
#include <stdint.h>

struct gm_records {
	uint8_t *bytes;
	uint32_t *offsets; /* record i is bytes offsets[i] to offsets[i + 1] */
	uint32_t count;
	uint32_t size; /* of all records */
	uint32_t byte_room, offset_room;
	uint32_t skipped; /* packets without a payload or of a kind that is not read */
	char left_out[160]; /* those of a capture that are not read, by kind: "2 ARP" */
};

/*
 * Reads a file of either kind. GM_MATCH_OK, GM_MATCH_MEMORY, or GM_MATCH_INPUT with *reason. At most
 * 2^31 bytes of payload.
 */
int gm_records_read(struct gm_records *records, const uint8_t *file, size_t size,
		    const char **reason);

/* Adds one record; GM_MATCH_OK or GM_MATCH_MEMORY. A zeroed struct is an empty one. */
int gm_records_add(struct gm_records *records, const uint8_t *bytes, uint32_t length);

/* Removes all zero bytes from the records, as L7-filter does before it matches. */
void gm_records_strip_nul(struct gm_records *records);

void gm_records_free(struct gm_records *records);

#endif
