/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are no lines of text: what they are, and what makes lines of them. */
#include "table/binary.h"

#include <string.h>

static int begins(const uint8_t *bytes, size_t size, const char *with, size_t length)
{
	return size >= length && memcmp(bytes, with, length) == 0;
}

/* RFC 6396, section 2: time, type, subtype, length; TABLE_DUMP, TABLE_DUMP_V2, BGP4MP, BGP4MP_ET. */
static int is_mrt(const uint8_t *bytes, size_t size)
{
	static const uint8_t types[] = { 12, 13, 16, 17 };

	return size >= 12 && bytes[4] == 0 && memchr(types, bytes[5], sizeof(types)) &&
	       bytes[6] == 0 && bytes[7] <= 12;
}

int gm_binary_json(const uint8_t *bytes, size_t size)
{
	uint8_t before = 0;

	for (size_t at = 0; at < size; at++) {
		uint8_t byte = bytes[at];

		if (byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n')
			continue;
		if (before)
			return byte == '"' || (before == '[' && byte == '{');
		if (byte != '[' && byte != '{')
			return 0;
		before = byte;
	}
	return 0;
}

const char *gm_binary_compressed(const uint8_t *bytes, size_t size)
{
	static const char xz[] = "\xfd"
				 "7zXZ";

	if (begins(bytes, size, "\x1f\x8b", 2))
		return "compressed by gzip: unpack it by gunzip";
	if (begins(bytes, size, "BZh", 3))
		return "compressed by bzip2: unpack it by bunzip2";
	if (begins(bytes, size, xz, 5))
		return "compressed by xz: unpack it by unxz";
	if (begins(bytes, size, "\x28\xb5\x2f\xfd", 4))
		return "compressed by zstd: unpack it by unzstd";
	if (begins(bytes, size, "PK\x03\x04", 4))
		return "compressed by zip: unpack it by unzip";
	return NULL;
}

const char *gm_binary_table(const uint8_t *bytes, size_t size)
{
	const char *reason = gm_binary_compressed(bytes, size);

	if (reason)
		return reason;
	if (is_mrt(bytes, size))
		return "an MRT file, which is binary: make text of it by bgpdump -m";
	if (size && memchr(bytes, 0, size < 4096 ? size : 4096))
		return "no text: it has a byte of zeros";
	if (gm_binary_json(bytes, size))
		return "JSON: give what `ip route` prints without -j, or a prefix a line";
	return NULL;
}

size_t gm_binary_mark(const uint8_t *bytes, size_t size)
{
	return begins(bytes, size, "\xef\xbb\xbf", 3) ? 3 : 0;
}
