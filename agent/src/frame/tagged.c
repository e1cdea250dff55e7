// SPDX-License-Identifier: Apache-2.0
/* The key of a trial, as a request has it. */
#include "frame/tagged.h"

#include <errno.h>

#define KEY_BYTES 16

/* The value of a hexadecimal digit; -1: it is none. */
static int digit(char text)
{
	if (text >= '0' && text <= '9')
		return text - '0';
	return text >= 'a' && text <= 'f' ? text - 'a' + 10 : -1;
}

int tagged_key(const char *text, struct siphash_key *key, struct fault *fault)
{
	uint64_t words[2] = { 0 };
	size_t at = 0;

	for (; at < 2 * KEY_BYTES && digit(text[at]) >= 0; at++) {
		size_t byte = at / 2;
		uint64_t value = (uint64_t)digit(text[at]) << (at % 2 ? 0 : 4);

		words[byte / 8] |= value << 8 * (byte % 8);
	}
	if (at < 2 * KEY_BYTES || text[at])
		return fault_set(fault, -EINVAL, "key", "give 32 digits, 0 to 9 and a to f",
				 "a key has 16 bytes, each of two hexadecimal digits");
	*key = (struct siphash_key){ words[0], words[1] };
	return 0;
}
