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

#endif
