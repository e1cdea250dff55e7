/* SPDX-License-Identifier: Apache-2.0 */
/* The TCP and UDP payloads of a capture file, pcap or pcapng, of either byte order. */
#ifndef GM_PAYLOAD_CAPTURE_H
#define GM_PAYLOAD_CAPTURE_H

#include "gm/records.h"

/* Does the file begin as a capture does? */
int gm_capture_is(const uint8_t *file, size_t size);

/* Adds a record for each payload that is not empty; a status of enum gm_match_status. */
int gm_capture_read(struct gm_records *records, const uint8_t *file, size_t size,
		    const char **reason);

/* The TCP or UDP payload of a frame of this link type: its length, 0 if there is none. */
uint32_t gm_frame_payload(const uint8_t *frame, uint32_t length, uint32_t link,
			  const uint8_t **payload);

#endif
