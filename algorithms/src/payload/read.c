/* SPDX-License-Identifier: Apache-2.0 */
/* Records of a file: a capture, or lengths and bytes. */
#include "gm/match.h"
#include "gm/records.h"
#include "payload/capture.h"

#include <string.h>

static int read_records(struct gm_records *records, const uint8_t *file, size_t size,
			const char **reason)
{
	for (size_t at = 0; at < size;) {
		uint32_t length;
		int status;

		if (size - at < 4) {
			*reason = "a record's length is cut off";
			return GM_MATCH_INPUT;
		}
		length = (uint32_t)file[at] | (uint32_t)file[at + 1] << 8 |
			 (uint32_t)file[at + 2] << 16 | (uint32_t)file[at + 3] << 24;
		at += 4;
		if (length > size - at) {
			*reason = "a record is longer than the file";
			return GM_MATCH_INPUT;
		}
		status = gm_records_add(records, file + at, length);
		if (status != GM_MATCH_OK)
			return status;
		at += length;
	}
	return GM_MATCH_OK;
}

int gm_records_read(struct gm_records *records, const uint8_t *file, size_t size,
		    const char **reason)
{
	int status;

	memset(records, 0, sizeof(*records));
	*reason = NULL;
	if (gm_capture_is(file, size))
		status = gm_capture_read(records, file, size, reason);
	else
		status = read_records(records, file, size, reason);
	if (status == GM_MATCH_INPUT && !*reason)
		*reason = "more than 2147483647 bytes of payload";
	if (status == GM_MATCH_MEMORY)
		*reason = "no memory";
	if (status != GM_MATCH_OK)
		gm_records_free(records);
	return status;
}
