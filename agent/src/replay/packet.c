// SPDX-License-Identifier: Apache-2.0
/*
 * Link layers, IP headers and ports of captured frames; no field is trusted. bpf/layers.h goes from
 * an Ethernet type on; here is what stands before it in a capture (the list of link types is at
 * www.tcpdump.org/linktypes.html).
 */
#include "replay/packet.h"
#include "bpf/layers.h"
#include "frame/frame.h"

#include <string.h>

#define LINK_NULL 0
#define LINK_ETHERNET 1
#define LINK_PPP 9
#define LINK_RAW_BSD 12 /* what some libpcap wrote for raw IP */
#define LINK_RAW_OPENBSD 14
#define LINK_PPP_SERIAL 50
#define LINK_PPP_ETHERNET 51
#define LINK_CISCO 104
#define LINK_LOOP 108
#define LINK_COOKED 113
#define LINK_PPP_PPPD 166
#define LINK_PPP_DIRECTION 204
#define LINK_IPV4 228
#define LINK_IPV6 229
#define LINK_NFLOG 239
#define LINK_COOKED_2 276

#define TYPE_COOKED_LLC 4 /* a cooked frame's own word for LLC (ETH_P_802_2) */
#define COOKED_BYTES 16
#define COOKED_2_BYTES 20
#define FAMILY_BYTES 4
#define NFLOG_BYTES 4
#define NFLOG_PAYLOAD 9

#define TCP_BYTES 20
#define TCP_SYN_ACK 0x12

struct layers_source {
	const uint8_t *bytes;
	uint32_t captured, length; /* at hand; on the wire */
};

SHARED __u32 layers_bytes(const struct layers_source *source)
{
	return source->length;
}

SHARED long layers_load(const struct layers_source *source, __u32 at, void *to, __u32 bytes)
{
	if (at > source->captured || source->captured - at < bytes)
		return -1;
	memcpy(to, source->bytes + at, bytes);
	return 0;
}

/* A header of so many bytes with the Ethernet type at an offset. */
static bool skip_typed(const struct layers_source *source, struct layers *layers, uint32_t bytes,
		       uint32_t type_at)
{
	uint8_t type[2];

	if (layers_load(source, type_at, type, sizeof(type)))
		return layers_stop(layers, LAYER_SHORT, 0);
	layers->at = bytes;
	return layers_to_ip(source, layers, be16_load(type));
}

/* A cooked frame has the kernel's protocol where others have a type or a length. */
static bool skip_cooked(const struct layers_source *source, struct layers *layers, uint32_t bytes,
			uint32_t type_at)
{
	uint8_t type[2];

	if (layers_load(source, type_at, type, sizeof(type)))
		return layers_stop(layers, LAYER_SHORT, 0);
	if (be16_load(type) <= TYPE_LLC_MOST && be16_load(type) != TYPE_COOKED_LLC)
		return layers_stop(layers, LAYER_ETHERNET, be16_load(type));
	return skip_typed(source, layers, bytes, type_at);
}

/* PPP in frames like HDLC's (RFC 1662): ff 03 may be left out, and so may a 0 of the protocol. */
static bool skip_ppp(const struct layers_source *source, struct layers *layers)
{
	uint8_t word[2];
	uint32_t type;
	bool is_short;

	if (layers_load(source, layers->at, word, sizeof(word)))
		return layers_stop(layers, LAYER_SHORT, 0);
	if (word[0] == 0xff && word[1] == 3)
		layers->at += 2;
	if (layers_load(source, layers->at, word, sizeof(word)))
		return layers_stop(layers, LAYER_SHORT, 0);
	is_short = word[0] & 1;
	layers->at += is_short ? 1 : 2;
	type = layers_ppp(layers, is_short ? word[0] : be16_load(word), LAYER_PPP);
	return type && layers_to_ip(source, layers, type);
}

/* A serial line has PPP, or Cisco's frames (RFC 1547, section 4.3.1) that begin otherwise. */
static bool skip_serial(const struct layers_source *source, struct layers *layers)
{
	if (source->captured && (source->bytes[0] == 0x0f || source->bytes[0] == 0x8f))
		return skip_typed(source, layers, 4, 2);
	return skip_ppp(source, layers);
}

/* A byte says which way a packet went; pppd's is in the place of PPP's ff. */
static bool skip_direction(const struct layers_source *source, struct layers *layers, uint16_t link)
{
	bool has_control = link == LINK_PPP_PPPD && source->captured > 1 && source->bytes[1] == 3;

	layers->at = has_control ? 2 : 1;
	return skip_ppp(source, layers);
}

static bool skip_session(const struct layers_source *source, struct layers *layers)
{
	uint32_t type = layers_session(source, layers);

	return type && layers_to_ip(source, layers, type);
}

/*
 * Of what netfilter logged: attributes of a length and a type, in the order of the host. All types
 * are below 256, so the byte that is not 0 tells the order.
 */
static bool skip_nflog(const struct layers_source *source, struct layers *layers)
{
	uint8_t word[4];

	layers->at = NFLOG_BYTES;
	while (!layers_load(source, layers->at, word, sizeof(word))) {
		bool is_big = !word[2] && word[3];
		uint32_t length = is_big ? be16_load(word) : (uint32_t)word[1] << 8 | word[0];

		if ((is_big ? word[3] : word[2]) == NFLOG_PAYLOAD) {
			layers->at += 4;
			return true;
		}
		if (length < 4)
			break;
		layers->at += (length + 3) & ~3u;
	}
	return layers_stop(layers, LAYER_SHORT, 0);
}

/* Past the link layer, to where an IP packet should begin; or the layer is named. */
static bool skip_link(const struct layers_source *source, struct layers *layers, uint16_t link)
{
	switch (link) {
	case LINK_ETHERNET:
		return skip_typed(source, layers, ETHERNET_BYTES, 12);
	case LINK_COOKED:
		return skip_cooked(source, layers, COOKED_BYTES, 14);
	case LINK_COOKED_2:
		return skip_cooked(source, layers, COOKED_2_BYTES, 0);
	case LINK_CISCO:
		return skip_typed(source, layers, 4, 2);
	case LINK_PPP:
		return skip_ppp(source, layers);
	case LINK_PPP_SERIAL:
		return skip_serial(source, layers);
	case LINK_PPP_PPPD:
	case LINK_PPP_DIRECTION:
		return skip_direction(source, layers, link);
	case LINK_PPP_ETHERNET:
		return skip_session(source, layers);
	case LINK_NFLOG:
		return skip_nflog(source, layers);
	case LINK_NULL:
	case LINK_LOOP:
		layers->at = FAMILY_BYTES;
		return true;
	case LINK_RAW:
	case LINK_RAW_BSD:
	case LINK_RAW_OPENBSD:
	case LINK_IPV4:
	case LINK_IPV6:
		return true;
	default:
		return layers_stop(layers, LAYER_LINK, link);
	}
}

/* `rest`: bytes on the wire from the packet on, where it does not say its length. */
static enum packet_verdict read_ipv4(struct packet_view *view, struct layers *layers, uint32_t rest)
{
	const uint8_t *ip = view->ip;
	uint16_t piece, total;

	if (view->captured < IPV4_BYTES || (ip[0] & 15) < 5)
		return PACKET_DAMAGED;
	view->header_bytes = (ip[0] & 15u) * 4;
	total = be16_load(ip + 2);
	piece = be16_load(ip + 6);
	/* A sender's kernel leaves 0 where the device cuts the packet up (TSO). */
	view->length = total ? total : rest;
	view->source = ip + 12;
	view->destination = ip + 16;
	layers->protocol = ip[9];
	if (piece & 0x3fff)
		layers->fragment = piece & 0x1fff ? FRAGMENT_LATER : FRAGMENT_FIRST;
	return PACKET_TAKEN;
}

static enum packet_verdict read_ipv6(struct packet_view *view, struct layers *layers, uint32_t rest)
{
	const struct layers_source source = { view->ip, view->captured, rest };
	const uint8_t *ip = view->ip;
	uint16_t payload;

	if (view->captured < IPV6_BYTES)
		return PACKET_DAMAGED;
	payload = be16_load(ip + 4);
	view->length = payload ? IPV6_BYTES + (uint32_t)payload : rest;
	view->source = ip + 8;
	view->destination = ip + 24;
	layers->protocol = ip[6];
	layers->at = IPV6_BYTES;
	if (!layers_past_extensions(&source, layers))
		return layers->unread == LAYER_SHORT ? PACKET_DAMAGED : PACKET_PROTOCOL;
	view->header_bytes = layers->at;
	view->routed = layers->routed;
	return PACKET_TAKEN;
}

/* UDP says where its payload ends (RFC 768): what is behind it is none (RFC 9868). */
static uint32_t end_of_udp(const struct packet_view *view)
{
	uint32_t length = be16_load(view->ip + view->header_bytes + 4);

	if (length < UDP_BYTES || length > view->length - view->header_bytes)
		return view->length;
	return view->header_bytes + length;
}

static enum packet_verdict read_ports(struct packet_view *view, struct layers *layers)
{
	uint32_t least = view->protocol == PROTOCOL_TCP ? TCP_BYTES : UDP_BYTES;
	const uint8_t *l4 = view->ip + view->header_bytes;

	if (view->protocol != PROTOCOL_TCP && view->protocol != PROTOCOL_UDP) {
		layers_stop(layers, view->family == 4 ? LAYER_PROTOCOL : LAYER_NEXT,
			    view->protocol);
		return PACKET_PROTOCOL;
	}
	if (view->length < view->header_bytes + least ||
	    view->captured < view->header_bytes + least)
		return PACKET_DAMAGED;
	view->source_port = be16_load(l4);
	view->destination_port = be16_load(l4 + 2);
	view->payload_at = view->header_bytes + least;
	view->payload_end = view->length;
	if (view->protocol == PROTOCOL_UDP) {
		view->payload_end = end_of_udp(view);
		return PACKET_TAKEN;
	}
	view->answer = (l4[13] & TCP_SYN_ACK) == TCP_SYN_ACK;
	view->payload_at = view->header_bytes + (l4[12] >> 4) * 4u;
	return view->payload_at < view->header_bytes + TCP_BYTES || view->payload_at > view->length
		       ? PACKET_DAMAGED
		       : PACKET_TAKEN;
}

static enum packet_verdict read_fragment(struct packet_view *view, struct layers *layers)
{
	view->begins = layers->fragment == FRAGMENT_FIRST &&
		       read_ports(view, layers) == PACKET_TAKEN;
	return PACKET_FRAGMENT;
}

static enum packet_verdict read_ip(struct packet_view *view, struct layers *layers, uint32_t rest)
{
	enum packet_verdict verdict = view->family == 4 ? read_ipv4(view, layers, rest)
							: read_ipv6(view, layers, rest);

	if (verdict != PACKET_TAKEN)
		return verdict;
	if (view->length > rest || view->length < view->header_bytes)
		return PACKET_DAMAGED;
	/* What is behind the packet is Ethernet's padding. */
	if (view->captured > view->length)
		view->captured = view->length;
	view->protocol = layers->protocol;
	return layers->fragment ? read_fragment(view, layers) : read_ports(view, layers);
}

static enum packet_verdict read_frame(struct packet_view *view, struct layers *layers,
				      const struct capture_packet *packet)
{
	const struct layers_source source = { packet->bytes, packet->captured, packet->length };
	uint8_t first;

	if (!skip_link(&source, layers, packet->link) ||
	    layers_load(&source, layers->at, &first, 1))
		return layers->unread == LAYER_SHORT || !layers->unread ? PACKET_DAMAGED
									: PACKET_NOT_IP;
	view->ip = packet->bytes + layers->at;
	view->captured = packet->captured - layers->at;
	view->family = first >> 4;
	if (view->family == 4 || view->family == 6)
		return read_ip(view, layers, packet->length - layers->at);
	layers_stop(layers, LAYER_VERSION, first >> 4);
	return PACKET_NOT_IP;
}

enum packet_verdict packet_read(struct packet_view *view, const struct capture_packet *packet)
{
	struct layers layers = { 0 };
	enum packet_verdict verdict;

	*view = (struct packet_view){ .ip = packet->bytes };
	verdict = read_frame(view, &layers, packet);
	view->unread = layers.unread;
	view->number = layers.number;
	return verdict;
}
