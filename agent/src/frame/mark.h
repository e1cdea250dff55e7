// SPDX-License-Identifier: Apache-2.0
/*
 * The code point of a packet (DSCP, RFC 2474): the upper six bits of IPv4's second byte and of
 * IPv6's traffic class. The lower two are ECN's and stay as they are (RFC 3168).
 */
#ifndef GM_MARK_H
#define GM_MARK_H

#include <stdint.h>

#define MARK_MOST 63
#define MARK_UNKNOWN 255 /* a socket that does not tell */

/* Of the byte that a socket calls TOS or traffic class. */
static inline uint8_t mark_of_class(unsigned int traffic_class)
{
	return (uint8_t)((traffic_class & 0xff) >> 2);
}

/* Of an IP header of either version; its first two bytes are read. */
static inline uint8_t mark_read(const uint8_t *ip)
{
	unsigned int words = (unsigned int)ip[0] << 8 | ip[1];

	return mark_of_class(ip[0] >> 4 == 4 ? ip[1] : words >> 4 & 0xff);
}

/* Into an IP header of either version, before IPv4's checksum is made. */
static inline void mark_write(uint8_t *ip, uint8_t mark)
{
	if (ip[0] >> 4 == 4) {
		ip[1] = (uint8_t)(mark << 2 | (ip[1] & 3));
		return;
	}
	ip[0] = (uint8_t)((ip[0] & 0xf0) | mark >> 2);
	ip[1] = (uint8_t)((ip[1] & 0x3f) | (mark & 3) << 6);
}

#endif
