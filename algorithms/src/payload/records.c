/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/records.h"

#include "common/grow.h"
#include "gm/match.h"

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
