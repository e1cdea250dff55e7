/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a capture or a file of records. */
#include "gm/match.h"
#include "gm/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gm_records records;
	const char *reason;

	if (gm_records_read(&records, data, size, &reason) == GM_MATCH_OK) {
		gm_records_strip_nul(&records);
		gm_records_free(&records);
	}
	return 0;
}
