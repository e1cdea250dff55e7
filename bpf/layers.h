// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The way through a frame: from its link layer to the IP packet in it, and past IPv6's extension
 * headers to what the packet carries. Captures (agent/src/replay/packet.c) and the programs in the
 * kernel go it alike. What is not read is named by its layer and a number in it.
 *
 * Who includes it defines struct layers_source, and layers_load() and layers_bytes() before they
 * are used.
 */
#ifndef GM_LAYERS_H
#define GM_LAYERS_H

#include "layer.h"
#include "shared.h"

#define TYPE_IPV4 0x0800
#define TYPE_IPV6 0x86dd
#define TYPE_LLC_MOST 1500 /* up to it a length, behind which LLC begins (IEEE 802.3) */

enum layers_fragment {
	FRAGMENT_NONE, /* a whole packet, or an atomic fragment (RFC 6946) */
	FRAGMENT_FIRST,
	FRAGMENT_LATER, /* without the headers of what it carries */
};

struct layers {
	__u32 at; /* of the layer that is read next, from the frame's begin */
	__u16 number; /* of the layer that is not read */
	__u8 unread; /* enum layer */
	__u8 protocol; /* the last next header */
	__u8 fragment; /* enum layers_fragment */
	__u8 routed; /* a routing header that changes the destination on the way */
};

struct layers_source;

/* The bytes of the frame on the wire. */
SHARED __u32 layers_bytes(const struct layers_source *source);

/* Copies bytes of the frame. Not 0: they are not all there. */
SHARED long layers_load(const struct layers_source *source, __u32 at, void *to, __u32 bytes);

SHARED __u16 layers_u16(const __u8 *bytes)
{
	return (__u16)(bytes[0] << 8 | bytes[1]);
}

/* Ends the way. Returns 0, which is no Ethernet type. */
SHARED __u32 layers_stop(struct layers *layers, enum layer layer, __u32 number)
{
	layers->unread = (__u8)layer;
	layers->number = (__u16)number;
	return 0;
}

/* IEEE 802.1Q; before it the tag of a provider had these types of vendors. */
SHARED int layers_is_tag(__u32 type)
{
	return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200 ||
	       type == 0x9300;
}

SHARED int layers_is_label(__u32 type)
{
	return type == 0x8847 || type == 0x8848;
}

/* PPP's number (RFC 1661, section 2) as an Ethernet type. */
SHARED __u32 layers_ppp(struct layers *layers, __u32 protocol, enum layer layer)
{
	switch (protocol) {
	case 0x0021:
		return TYPE_IPV4;
	case 0x0057:
		return TYPE_IPV6;
	case 0x0281:
		return 0x8847;
	default:
		return layers_stop(layers, layer, protocol);
	}
}

/* RFC 2516, section 4: version, type, code, session, length, then PPP. */
SHARED __u32 layers_session(const struct layers_source *source, struct layers *layers)
{
	__u8 header[8];

	if (layers_load(source, layers->at, header, sizeof(header)))
		return layers_stop(layers, LAYER_SHORT, 0);
	if (header[1])
		return layers_stop(layers, LAYER_PPPOE, header[1]);
	/* An odd byte is a protocol's last: the first may be left out (RFC 1661, section 6.5). */
	layers->at += header[6] & 1 ? 7 : 8;
	return layers_ppp(layers, header[6] & 1 ? header[6] : layers_u16(header + 6),
			  LAYER_SESSION);
}

/*
 * What the first 6 bytes behind labels begin, of so many in all. A label does not name it, and an
 * Ethernet address may begin like IP (RFC 4928, section 3); then its length hardly fits.
 */
SHARED __u32 layers_behind_labels(const __u8 *bytes, __u32 all)
{
	__u32 ipv4 = layers_u16(bytes + 2), ipv6 = layers_u16(bytes + 4) + 40u;

	if (bytes[0] >> 4 == 4 && (!ipv4 || (ipv4 >= 20 && ipv4 <= all)))
		return TYPE_IPV4;
	return bytes[0] >> 4 == 6 && ipv6 <= all ? TYPE_IPV6 : 0;
}

/* RFC 3032: a label of 4 bytes, the last one of a stack with a bit. */
SHARED __u32 layers_label(const struct layers_source *source, struct layers *layers, __u32 type)
{
	__u8 header[10];

	if (layers_load(source, layers->at, header, sizeof(header)))
		return layers_stop(layers, LAYER_SHORT, 0);
	layers->at += 4;
	if (!(header[2] & 1))
		return type;
	type = layers_behind_labels(header + 4, layers_bytes(source) - layers->at);
	return type ? type : layers_stop(layers, LAYER_MPLS, 0);
}

/* IEEE 802.2, and SNAP with an Ethernet type in it (RFC 1042; RFC 1390 for bridges). */
SHARED __u32 layers_llc(const struct layers_source *source, struct layers *layers)
{
	__u8 header[8];
	__u32 type;

	if (layers_load(source, layers->at, header, 3))
		return layers_stop(layers, LAYER_SHORT, 0);
	if (layers_u16(header) != 0xaaaa || header[2] != 3)
		return layers_stop(layers, LAYER_LLC, layers_u16(header));
	if (layers_load(source, layers->at, header, sizeof(header)))
		return layers_stop(layers, LAYER_SHORT, 0);
	layers->at += 8;
	type = layers_u16(header + 6);
	if (header[3] || header[4] || (header[5] && header[5] != 0xf8))
		return layers_stop(layers, LAYER_SNAP, layers_u16(header + 4));
	return type > TYPE_LLC_MOST ? type : layers_stop(layers, LAYER_ETHERNET, type);
}

/* The type behind one layer; 0: the way has ended. */
SHARED __u32 layers_step(const struct layers_source *source, struct layers *layers, __u32 type)
{
	__u8 header[4];

	if (layers_is_tag(type)) {
		if (layers_load(source, layers->at, header, sizeof(header)))
			return layers_stop(layers, LAYER_SHORT, 0);
		layers->at += 4;
		return layers_u16(header + 2) ? layers_u16(header + 2)
					      : layers_stop(layers, LAYER_ETHERNET, 0);
	}
	if (layers_is_label(type))
		return layers_label(source, layers, type);
	if (type == 0x8864)
		return layers_session(source, layers);
	if (type <= TYPE_LLC_MOST)
		return layers_llc(source, layers);
	return layers_stop(layers, LAYER_ETHERNET, type);
}

/*
 * Goes from a type, the layer of which is at layers->at, to an IP packet. Returns TYPE_IPV4 or
 * TYPE_IPV6; 0 where there is none, and the layer that is not read is named.
 */
SHARED __u32 layers_to_ip(const struct layers_source *source, struct layers *layers, __u32 type)
{
#pragma GCC unroll 1
	for (int i = 0; i < LAYERS_MOST; i++) {
		if (type == TYPE_IPV4 || type == TYPE_IPV6)
			return type;
		type = layers_step(source, layers, type);
		if (layers->unread)
			return 0;
	}
	if (type == TYPE_IPV4 || type == TYPE_IPV6)
		return type;
	return layers_stop(layers, LAYER_DEEP, 0);
}

/* As Linux does (net/ipv6/exthdrs_core.c): options of hops and of the destination, routing,
 * fragments, authentication. */
SHARED int layers_is_extension(__u32 protocol)
{
	return protocol == 0 || protocol == 60 || protocol == 43 || protocol == 44 ||
	       protocol == 51;
}

/* What a fragment header says (RFC 8200, section 4.5). */
SHARED __u8 layers_fragment(const __u8 *header)
{
	__u16 offset = layers_u16(header + 2);

	if (offset & 0xfff8)
		return FRAGMENT_LATER;
	return offset & 1 ? FRAGMENT_FIRST : FRAGMENT_NONE;
}

/* The bytes of an extension header; of authentication's by RFC 4302, section 2.2. */
SHARED __u32 layers_extension_bytes(__u32 protocol, const __u8 *header)
{
	if (protocol == 44)
		return 8;
	return protocol == 51 ? (header[1] + 2u) * 4 : (header[1] + 1u) * 8;
}

/*
 * Goes past the extension headers (RFC 8200, section 4) that begin at layers->at with
 * layers->protocol, up to that of a fragment that is not the first. Returns 1: at what is carried;
 * 0: the layer that is not read is named.
 */
SHARED int layers_past_extensions(const struct layers_source *source, struct layers *layers)
{
#pragma GCC unroll 1
	for (int i = 0; i < LAYERS_MOST; i++) {
		__u32 protocol = layers->protocol;
		__u8 header[8];

		if (!layers_is_extension(protocol) || layers->fragment == FRAGMENT_LATER)
			return 1;
		if (layers_load(source, layers->at, header, sizeof(header))) {
			layers_stop(layers, LAYER_SHORT, 0);
			return 0;
		}
		if (protocol == 44)
			layers->fragment = layers_fragment(header);
		if (protocol == 43 && header[3])
			layers->routed = 1;
		layers->at += layers_extension_bytes(protocol, header);
		layers->protocol = header[0];
	}
	if (!layers_is_extension(layers->protocol))
		return 1;
	layers_stop(layers, LAYER_DEEP, 0);
	return 0;
}

#endif
