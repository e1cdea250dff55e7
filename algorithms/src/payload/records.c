/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/records.h"

#include "common/grow.h"
#include "gm/match.h"
#include "payload/capture.h"

#include <string.h>

enum { MOST_BYTES = INT32_MAX };

int gm_records_add(struct gm_records *records, const uint8_t *bytes, uint32_t length)
{
	void *grown;

	if (length > MOST_BYTES - records->size)
		return GM_MATCH_INPUT;
	grown = gm_grow(records->bytes, &records->byte_room, records->size + length + 1, 1);
	if (!grown)
		return GM_MATCH_MEMORY;
	records->bytes = grown;
	grown = gm_grow(records->offsets, &records->offset_room, records->count + 2,
			sizeof(uint32_t));
	if (!grown)
		return GM_MATCH_MEMORY;
	records->offsets = grown;
	if (length)
		memcpy(records->bytes + records->size, bytes, length);
	records->offsets[records->count++] = records->size;
	records->size += length;
	records->offsets[records->count] = records->size;
	return GM_MATCH_OK;
}

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

void gm_records_strip_nul(struct gm_records *records)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < records->count; i++) {
		uint32_t from = records->offsets[i];
		uint32_t to = records->offsets[i + 1];

		records->offsets[i] = kept;
		for (uint32_t at = from; at < to; at++) {
			if (records->bytes[at])
				records->bytes[kept++] = records->bytes[at];
		}
	}
	records->size = kept;
	if (records->count)
		records->offsets[records->count] = kept;
}

void gm_records_free(struct gm_records *records)
{
	free(records->bytes);
	free(records->offsets);
	memset(records, 0, sizeof(*records));
}
