/* SPDX-License-Identifier: Apache-2.0 */
/* From a frame to its TCP or UDP payload. What is cut off, or is a later fragment, has none. */
#include "payload/capture.h"

enum {
	LINK_NULL = 0,
	LINK_ETHERNET = 1,
	LINK_RAW_BSD = 12,
	LINK_RAW = 101,
	LINK_LOOP = 108,
	LINK_COOKED = 113,
	LINK_IPV4 = 228,
	LINK_IPV6 = 229,
	LINK_COOKED2 = 276,
	TYPE_IPV4 = 0x0800,
	TYPE_IPV6 = 0x86dd,
	TYPE_VLAN = 0x8100,
	TYPE_QINQ = 0x88a8,
	TYPE_PPPOE = 0x8864,
	TCP = 6,
	UDP = 17,
	EXTENSIONS = 8,
};

/* What is left of the frame. */
struct rest {
	const uint8_t *bytes;
	uint32_t length;
};

static uint32_t net16(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 8 | bytes[1];
}

static int skip(struct rest *rest, uint32_t count)
{
	if (count > rest->length)
		return 0;
	rest->bytes += count;
	rest->length -= count;
	return 1;
}

static uint32_t udp_or_tcp(struct rest *rest, uint32_t protocol)
{
	uint32_t header = 8;

	if (protocol == TCP) {
		if (rest->length < 20)
			return 0;
		header = 4U * (rest->bytes[12] >> 4);
		if (header < 20)
			return 0;
	} else if (protocol != UDP) {
		return 0;
	}
	return skip(rest, header) ? rest->length : 0;
}

static uint32_t ipv4(struct rest *rest)
{
	uint32_t header;
	uint32_t total;
	uint32_t protocol;

	if (rest->length < 20)
		return 0;
	header = 4U * (rest->bytes[0] & 15);
	total = net16(rest->bytes + 2);
	protocol = rest->bytes[9];
	if (header < 20 || (net16(rest->bytes + 6) & 0x1fff))
		return 0;
	/* Ethernet pads short packets. A length of 0 is a segment that the card will cut. */
	if (total >= header && total < rest->length)
		rest->length = total;
	return skip(rest, header) ? udp_or_tcp(rest, protocol) : 0;
}

static int is_extension(uint32_t protocol)
{
	return protocol == 0 || protocol == 43 || protocol == 60;
}

static uint32_t ipv6(struct rest *rest)
{
	uint32_t payload;
	uint32_t protocol;

	if (rest->length < 40)
		return 0;
	payload = net16(rest->bytes + 4);
	protocol = rest->bytes[6];
	skip(rest, 40);
	if (payload && payload < rest->length)
		rest->length = payload;
	for (int i = 0; i < EXTENSIONS && is_extension(protocol); i++) {
		if (rest->length < 8)
			return 0;
		protocol = rest->bytes[0];
		if (!skip(rest, 8 + 8U * rest->bytes[1]))
			return 0;
	}
	return udp_or_tcp(rest, protocol);
}

static uint32_t ip(struct rest *rest)
{
	if (!rest->length)
		return 0;
	return rest->bytes[0] >> 4 == 4 ? ipv4(rest) : rest->bytes[0] >> 4 == 6 ? ipv6(rest) : 0;
}

static uint32_t by_type(struct rest *rest, uint32_t type)
{
	while (type == TYPE_VLAN || type == TYPE_QINQ) {
		if (rest->length < 4)
			return 0;
		type = net16(rest->bytes + 2);
		skip(rest, 4);
	}
	if (type == TYPE_PPPOE)
		return skip(rest, 8) ? ip(rest) : 0;
	return type == TYPE_IPV4 || type == TYPE_IPV6 ? ip(rest) : 0;
}

static uint32_t typed(struct rest *rest, uint32_t type_at, uint32_t header)
{
	uint32_t type;

	if (rest->length < header)
		return 0;
	type = net16(rest->bytes + type_at);
	skip(rest, header);
	return by_type(rest, type);
}

uint32_t gm_frame_payload(const uint8_t *frame, uint32_t length, uint32_t link,
			  const uint8_t **payload)
{
	struct rest rest = { frame, length };
	uint32_t bytes = 0;

	switch (link) {
	case LINK_ETHERNET:
		bytes = typed(&rest, 12, 14);
		break;
	case LINK_COOKED:
		bytes = typed(&rest, 14, 16);
		break;
	case LINK_COOKED2:
		bytes = typed(&rest, 0, 20);
		break;
	case LINK_NULL:
	case LINK_LOOP:
		bytes = skip(&rest, 4) ? ip(&rest) : 0;
		break;
	case LINK_RAW_BSD:
	case LINK_RAW:
	case LINK_IPV4:
	case LINK_IPV6:
		bytes = ip(&rest);
		break;
	default:
		break;
	}
	*payload = rest.bytes;
	return bytes;
}
