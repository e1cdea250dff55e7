// SPDX-License-Identifier: Apache-2.0
/* Reading addresses, filling socket addresses. */
#include "frame/address.h"
#include "frame/bytes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

int family_check(int64_t family, const char *key, struct fault *fault)
{
	if (family == 4 || family == 6)
		return 0;
	return fault_set(fault, -EINVAL, key, "4 for IPv4, 6 for IPv6", "family has to be 4 or 6");
}

int address_parse(int family, const char *text, uint8_t *bytes, const char *key,
		  struct fault *fault)
{
	if (inet_pton(family == 4 ? AF_INET : AF_INET6, text, bytes) == 1)
		return 0;
	return fault_set(fault, -EINVAL, key,
			 family == 4 ? "such as 192.0.2.1" : "such as 2001:db8::1",
			 "\"%.60s\" is not an IPv%d address", text, family);
}

/* Its value, or -1. */
static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int mac_parse(const char *text, uint8_t mac[6], const char *key, struct fault *fault)
{
	for (size_t i = 0; i < 6; i++) {
		const char *at = text + 3 * i;
		int high = hex_digit(at[0]);
		int low = high < 0 ? -1 : hex_digit(at[1]);

		if (low < 0 || at[2] != (i < 5 ? ':' : '\0'))
			return fault_set(fault, -EINVAL, key, "such as 02:00:00:00:00:01",
					 "\"%.40s\" is not a MAC address", text);
		mac[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

socklen_t address_fill(struct sockaddr_storage *storage, int family, const uint8_t *bytes,
		       uint16_t port)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)storage;
	struct sockaddr_in *four = (struct sockaddr_in *)storage;

	memset(storage, 0, sizeof(*storage));
	if (family == 4) {
		four->sin_family = AF_INET;
		be16_store((uint8_t *)&four->sin_port, port);
		if (bytes)
			memcpy(&four->sin_addr, bytes, 4);
		return sizeof(*four);
	}
	six->sin6_family = AF_INET6;
	be16_store((uint8_t *)&six->sin6_port, port);
	if (bytes)
		memcpy(&six->sin6_addr, bytes, 16);
	return sizeof(*six);
}

uint16_t address_port(const struct sockaddr_storage *storage)
{
	/* sin_port and sin6_port lie at the same place (RFC 3493 section 3.3). */
	return be16_load((const uint8_t *)&((const struct sockaddr_in *)storage)->sin_port);
}
