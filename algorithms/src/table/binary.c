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

/* The bytes that a file begins with. */
static const struct {
	const char *bytes;
	size_t length;
	const char *file;
} kinds[] = {
	{ "\x1f\x8b", 2, "compressed by gzip: unpack it by gunzip" },
	{ "BZh", 3, "compressed by bzip2: unpack it by bunzip2" },
	{ "\xfd\x37zXZ", 5, "compressed by xz: unpack it by unxz" },
	{ "\x28\xb5\x2f\xfd", 4, "compressed by zstd: unpack it by unzstd" },
	{ "PK\x03\x04", 4, "compressed by zip: unpack it by unzip" },
	{ "\xff\xfe", 2, "text of UTF-16: make UTF-8 of it by iconv -f UTF-16" },
	{ "\xfe\xff", 2, "text of UTF-16: make UTF-8 of it by iconv -f UTF-16" },
	{ "<!DOCTYPE html", 14, "a web page: take the file itself, not the page that shows it" },
	{ "<!doctype html", 14, "a web page: take the file itself, not the page that shows it" },
	{ "<html", 5, "a web page: take the file itself, not the page that shows it" },
	{ "%PDF-", 5, "a PDF: make text of it by pdftotext" },
	{ "version https://git-lfs", 23, "a pointer of Git LFS: take the file by git lfs pull" },
};

const char *gm_binary_zeros(const uint8_t *bytes, size_t size)
{
	return size && memchr(bytes, 0, size < 4096 ? size : 4096)
		       ? "no text: it has a byte of zeros"
		       : NULL;
}

const char *gm_binary_other(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (begins(bytes, size, kinds[i].bytes, kinds[i].length))
			return kinds[i].file;
	}
	if (size && memchr(bytes, '\r', size - 1) && !memchr(bytes, '\n', size) &&
	    !gm_binary_zeros(bytes, size))
		return "text whose lines end in CR alone: end them by tr '\\r' '\\n'";
	return NULL;
}

const char *gm_binary_table(const uint8_t *bytes, size_t size)
{
	const char *reason = gm_binary_other(bytes, size);

	if (!reason && is_mrt(bytes, size))
		return "an MRT file, which is binary: make text of it by bgpdump -m";
	if (!reason)
		reason = gm_binary_zeros(bytes, size);
	if (reason)
		return reason;
	if (gm_binary_json(bytes, size))
		return "JSON: give what `ip route` prints without -j, or a prefix a line";
	return NULL;
}

size_t gm_binary_mark(const uint8_t *bytes, size_t size)
{
	return begins(bytes, size, "\xef\xbb\xbf", 3) ? 3 : 0;
}
