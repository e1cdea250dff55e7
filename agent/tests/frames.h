// SPDX-License-Identifier: Apache-2.0
/*
 * Frames and what every reader has to find in them: captures (replay/packet.c), the programs in the
 * kernel (those of Ethernet), the classifier and the payloads of gm-algorithms.
 */
#ifndef GM_TEST_FRAMES_H
#define GM_TEST_FRAMES_H

#include "replay/packet.h"

struct test_frame {
	const char *name;
	uint16_t link;
	const void *bytes;
	uint32_t length;
	enum packet_verdict verdict;
	int family;
	uint8_t protocol;
	uint16_t ports[2]; /* source, destination */
	uint32_t ip_bytes, payload_bytes;
	const char *unread; /* the name of the layer that is not read */
};

#define MACS "\2\0\0\0\0\1\2\0\0\0\0\2"
#define SOURCE_6 "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1"
#define TARGET_6 "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\2"
#define UDP_OF_8 "\3\xe8\0\x35\0\x10\0\0payload!"
#define IP_4 "\x45\0\0\x24\x12\x34\x40\0\5\x11\0\0\x0a\0\0\1\x08\x08\x08\x08" UDP_OF_8
#define IP_4_CUT_LATER "\x45\0\0\0\x12\x34\x40\0\5\x11\0\0\x0a\0\0\1\x08\x08\x08\x08" UDP_OF_8
#define PADDING "\0\0\0\0\0\0\xde\xad\xbe\xef"
#define IP_6(length_, next_) "\x60\0\0\0\0" length_ next_ "\x40" SOURCE_6 TARGET_6
#define UDP_6 IP_6("\x10", "\x11") UDP_OF_8
#define OPTIONS(next_) next_ "\0\1\4\0\0\0\0"
#define PIECE(next_, offset_) next_ "\0" offset_ "\0\0\0\7"
#define SNAP "\xaa\xaa\3\0\0\0"
#define SESSION "\x88\x64\x11\0\0\1\0\x26"

#define AS(text_) .bytes = text_, .length = sizeof(text_) - 1
#define READ_4                                                                                     \
	.family = 4, .protocol = 17, .ports = { 1000, 53 }, .ip_bytes = 36, .payload_bytes = 8
#define READ_6(bytes_)                                                                             \
	.family = 6, .protocol = 17, .ports = { 1000, 53 }, .ip_bytes = bytes_, .payload_bytes = 8
#define NOT_READ(verdict_, name_) .verdict = verdict_, .unread = name_

static const struct test_frame test_frames[] = {
	{ "IPv4", 1, AS(MACS "\x08\0" IP_4), READ_4 },
	{ "IPv6", 1, AS(MACS "\x86\xdd" UDP_6), READ_6(56) },
	{ "VLAN", 1, AS(MACS "\x81\0\0\7\x08\0" IP_4), READ_4 },
	{ "VLAN, IPv6", 1, AS(MACS "\x81\0\0\7\x86\xdd" UDP_6), READ_6(56) },
	{ "QinQ", 1, AS(MACS "\x88\xa8\0\7\x81\0\0\x08\x08\0" IP_4), READ_4 },
	{ "older QinQ", 1, AS(MACS "\x91\0\0\7\x81\0\0\x08\x08\0" IP_4), READ_4 },
	{ "QinQ of 0x9200", 1, AS(MACS "\x92\0\0\7\x81\0\0\x08\x08\0" IP_4), READ_4 },
	{ "QinQ of 0x9300", 1, AS(MACS "\x93\0\0\7\x81\0\0\x08\x08\0" IP_4), READ_4 },
	{ "padding and a check sequence", 1, AS(MACS "\x08\0" IP_4 PADDING), READ_4 },
	{ "padding, IPv6", 1, AS(MACS "\x86\xdd" UDP_6 PADDING), READ_6(56) },
	{ "a length left to the card", 1, AS(MACS "\x08\0" IP_4_CUT_LATER), READ_4 },
	{ "a length left to the card, IPv6", 1, AS(MACS "\x86\xdd" IP_6("\0", "\x11") UDP_OF_8),
	  READ_6(56) },
	{ "jumbo payload", 1,
	  AS(MACS "\x86\xdd" IP_6("\0", "\0") "\x11\0\xc2\4\0\0\0\x18" UDP_OF_8), READ_6(64) },
	{ "more than UDP says", 1,
	  AS(MACS "\x08\0\x45\0\0\x28\x12\x34\x40\0\5\x11\0\0\x0a\0\0\1\x08\x08\x08\x08" UDP_OF_8
		  "\0\0\0\0"),
	  .family = 4, .protocol = 17, .ports = { 1000, 53 }, .ip_bytes = 40, .payload_bytes = 8 },
	{ "VLAN with LLC", 1, AS(MACS "\x81\0\0\7\0\x2c" SNAP "\x08\0" IP_4), READ_4 },
	{ "PPPoE", 1, AS(MACS SESSION "\0\x21" IP_4), READ_4 },
	{ "PPPoE, IPv6", 1, AS(MACS SESSION "\0\x57" UDP_6), READ_6(56) },
	{ "PPPoE, short protocol", 1, AS(MACS SESSION "\x21" IP_4), READ_4 },
	{ "VLAN, PPPoE", 1, AS(MACS "\x81\0\0\7" SESSION "\0\x21" IP_4), READ_4 },
	{ "LLC and SNAP", 1, AS(MACS "\0\x2c" SNAP "\x08\0" IP_4), READ_4 },
	{ "SNAP of bridges", 1, AS(MACS "\0\x2c\xaa\xaa\3\0\0\xf8\x08\0" IP_4), READ_4 },
	{ "SNAP, IPv6", 1, AS(MACS "\0\x40" SNAP "\x86\xdd" UDP_6), READ_6(56) },
	{ "MPLS", 1, AS(MACS "\x88\x47\0\1\1\x40" IP_4), READ_4 },
	{ "MPLS, two labels", 1, AS(MACS "\x88\x47\0\1\0\x40\0\2\1\x40" UDP_6), READ_6(56) },
	{ "PPPoE, MPLS", 1, AS(MACS SESSION "\2\x81\0\1\1\x40" IP_4), READ_4 },
	{ "hop-by-hop", 1, AS(MACS "\x86\xdd" IP_6("\x18", "\0") OPTIONS("\x11") UDP_OF_8),
	  READ_6(64) },
	{ "destination options", 1,
	  AS(MACS "\x86\xdd" IP_6("\x18", "\x3c") OPTIONS("\x11") UDP_OF_8), READ_6(64) },
	{ "hop-by-hop, destination options", 1,
	  AS(MACS "\x86\xdd" IP_6("\x20", "\0") OPTIONS("\x3c") OPTIONS("\x11") UDP_OF_8),
	  READ_6(72) },
	{ "routing that is over", 1,
	  AS(MACS "\x86\xdd" IP_6("\x18", "\x2b") "\x11\0\4\0\0\0\0\0" UDP_OF_8), READ_6(64) },
	{ "authentication", 1,
	  AS(MACS "\x86\xdd" IP_6(
		  "\x28", "\x33") "\x11\4\0\0\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0" UDP_OF_8),
	  READ_6(80) },
	{ "atomic fragment", 1,
	  AS(MACS "\x86\xdd" IP_6("\x18", "\x2c") PIECE("\x11", "\0\0") UDP_OF_8), READ_6(64) },
	{ "options in an atomic fragment", 1,
	  AS(MACS "\x86\xdd" IP_6("\x20", "\x2c") PIECE("\x3c", "\0\0") OPTIONS("\x11") UDP_OF_8),
	  READ_6(72) },
	{ "first fragment", 1,
	  AS(MACS "\x86\xdd" IP_6("\x18", "\x2c") PIECE("\x11", "\0\1") UDP_OF_8), READ_6(64),
	  .verdict = PACKET_FRAGMENT },
	{ "later fragment", 1,
	  AS(MACS "\x86\xdd" IP_6("\x18", "\x2c") PIECE("\x11", "\0\x10") UDP_OF_8), .family = 6,
	  .protocol = 17, .ip_bytes = 64, .verdict = PACKET_FRAGMENT },
	{ "first fragment of IPv4", 1,
	  AS(MACS "\x08\0\x45\0\0\x24\x12\x34\x20\0\5\x11\0\0\x0a\0\0\1\x08\x08\x08\x08" UDP_OF_8),
	  READ_4, .verdict = PACKET_FRAGMENT },
	{ "later fragment of IPv4", 1,
	  AS(MACS "\x08\0\x45\0\0\x24\x12\x34\0\1\5\x11\0\0\x0a\0\0\1\x08\x08\x08\x08" UDP_OF_8),
	  .family = 4, .protocol = 17, .ip_bytes = 36, .verdict = PACKET_FRAGMENT },
	{ "cooked", 113, AS("\0\0\0\1\0\6\2\0\0\0\0\1\0\0\x08\0" IP_4), READ_4 },
	{ "cooked, VLAN", 113, AS("\0\0\0\1\0\6\2\0\0\0\0\1\0\0\x81\0\0\7\x08\0" IP_4), READ_4 },
	{ "cooked, PPPoE", 113, AS("\0\0\0\1\0\6\2\0\0\0\0\1\0\0" SESSION "\0\x21" IP_4), READ_4 },
	{ "cooked, LLC", 113, AS("\0\0\0\1\0\6\2\0\0\0\0\1\0\0\0\4" SNAP "\x08\0" IP_4), READ_4 },
	{ "cooked, version 2", 276, AS("\x86\xdd\0\0\0\0\0\2\0\1\0\6\2\0\0\0\0\1\0\0" UDP_6),
	  READ_6(56) },
	{ "cooked, version 2, PPPoE", 276,
	  AS("\x88\x64\0\0\0\0\0\2\0\1\0\6\2\0\0\0\0\1\0\0\x11\0\0\1\0\x26\0\x21" IP_4), READ_4 },
	{ "raw", 101, AS(IP_4), READ_4 },
	{ "raw of BSD", 12, AS(UDP_6), READ_6(56) },
	{ "raw of OpenBSD", 14, AS(IP_4), READ_4 },
	{ "raw IPv4", 228, AS(IP_4), READ_4 },
	{ "raw IPv6", 229, AS(UDP_6), READ_6(56) },
	{ "BSD's loopback", 0, AS("\2\0\0\0" IP_4), READ_4 },
	{ "BSD's loopback, IPv6", 0, AS("\x18\0\0\0" UDP_6), READ_6(56) },
	{ "FreeBSD's loopback, IPv6", 0, AS("\x1c\0\0\0" UDP_6), READ_6(56) },
	{ "macOS's loopback, IPv6", 0, AS("\x1e\0\0\0" UDP_6), READ_6(56) },
	{ "BSD's loopback, big-endian", 0, AS("\0\0\0\x1c" UDP_6), READ_6(56) },
	{ "loopback with an Ethernet type", 0, AS("\0\0\x08\0" IP_4), READ_4 },
	{ "OpenBSD's loopback", 108, AS("\0\0\0\x18" UDP_6), READ_6(56) },
	{ "PPP", 9, AS("\xff\3\0\x21" IP_4), READ_4 },
	{ "PPP, compressed", 9, AS("\x21" IP_4), READ_4 },
	{ "PPP on a serial line", 50, AS("\xff\3\0\x57" UDP_6), READ_6(56) },
	{ "Cisco's HDLC", 104, AS("\x0f\0\x08\0" IP_4), READ_4 },
	{ "PPPoE without Ethernet", 51, AS("\x11\0\0\1\0\x26\0\x21" IP_4), READ_4 },
	{ "pppd", 166, AS("\1\3\0\x21" IP_4), READ_4 },
	{ "PPP with its direction", 204, AS("\1\xff\3\0\x21" IP_4), READ_4 },
	{ "NFLOG", 239, AS("\2\0\0\0\5\0\x0a\0x\0\0\0\x28\0\x09\0" IP_4), READ_4 },
	{ "NFLOG, big-endian", 239, AS("\2\0\0\0\0\5\0\x0ax\0\0\0\0\x28\0\x09" IP_4), READ_4 },
	{ "ARP", 1, AS(MACS "\x08\6\0\1\x08\0"), NOT_READ(PACKET_NOT_IP, "ARP") },
	{ "another type", 1, AS(MACS "\x88\xb5\0\1"),
	  NOT_READ(PACKET_NOT_IP, "Ethernet type 0x88B5") },
	{ "PPPoE, line control", 1, AS(MACS "\x88\x64\x11\0\0\1\0\6\xc0\x21\1\1\0\4"),
	  NOT_READ(PACKET_NOT_IP, "PPPoE session, protocol 0xC021") },
	{ "PPPoE discovery", 1, AS(MACS "\x88\x63\x11\x09\0\0\0\0"),
	  NOT_READ(PACKET_NOT_IP, "PPPoE discovery") },
	{ "spanning tree", 1, AS(MACS "\0\x26\x42\x42\3\0\0\0"),
	  NOT_READ(PACKET_NOT_IP, "LLC, spanning tree") },
	{ "another LLC", 1, AS(MACS "\0\x26\xf0\xf0\3\0\0\0"),
	  NOT_READ(PACKET_NOT_IP, "LLC, DSAP and SSAP 0xF0F0") },
	{ "Cisco's SNAP", 1, AS(MACS "\0\x26\xaa\xaa\3\0\0\x0c\x20\0"),
	  NOT_READ(PACKET_NOT_IP, "SNAP, organisation that ends in 0x000C") },
	{ "a pseudowire", 1, AS(MACS "\x88\x47\0\1\1\x40\0\0\0\0\2\0\0\0\0\1"),
	  NOT_READ(PACKET_NOT_IP, "MPLS, no IP behind its labels") },
	{ "a bare pseudowire", 1,
	  AS(MACS "\x88\x47\0\1\1\x40\x6c\x3b\x6b\1\2\3"
		  "\2\0\0\0\0\1\x08\0" IP_4),
	  NOT_READ(PACKET_NOT_IP, "MPLS, no IP behind its labels") },
	{ "a bare pseudowire, as IPv4", 1,
	  AS(MACS "\x88\x47\0\1\1\x40\x48\xd7\x05\1\2\3"
		  "\2\0\0\0\0\1\x08\0" IP_4),
	  NOT_READ(PACKET_NOT_IP, "MPLS, no IP behind its labels") },
	{ "a frame in a frame", 1, AS(MACS "\x88\xe7\0\0\0\x0a" MACS "\x08\0" IP_4),
	  NOT_READ(PACKET_NOT_IP, "802.1ah, a frame in a frame") },
	{ "link aggregation", 1, AS(MACS "\x88\x09\1\1"),
	  NOT_READ(PACKET_NOT_IP, "LACP, or another slow protocol") },
	{ "a vendor's tag", 1, AS(MACS "\x82\0\0\x76\x81\0\0\x0a\x08\0" IP_4),
	  NOT_READ(PACKET_NOT_IP, "Ethernet type 0x8200") },
	{ "PPP, line control", 9, AS("\xff\3\xc0\x21\1\1\0\4"),
	  NOT_READ(PACKET_NOT_IP, "PPP, protocol 0xC021") },
	{ "radio", 127, AS(MACS "\x08\0" IP_4), NOT_READ(PACKET_NOT_IP, "link type 127") },
	{ "nine tags", 1,
	  AS(MACS "\x81\0\0\1\x81\0\0\1\x81\0\0\1\x81\0\0\1\x81\0\0\1\x81\0\0\1\x81\0\0\1\x81\0\0\1"
		  "\x81\0\0\1\x08\0" IP_4),
	  NOT_READ(PACKET_NOT_IP, "more than 8 headers in each other") },
	{ "ICMP", 1,
	  AS(MACS "\x08\0\x45\0\0\x1c\0\0\0\0\x40\1\0\0\x0a\0\0\1\x08\x08\x08\x08\3\3\0\0\0\0\0\0"),
	  .family = 4, .protocol = 1, .ip_bytes = 28, NOT_READ(PACKET_PROTOCOL, "ICMP") },
	{ "a listener's report", 1,
	  AS(MACS "\x86\xdd" IP_6("\x10", "\0") "\x3a\0\5\2\0\0\1\0\x8f\0\0\0\0\0\0\0"),
	  .family = 6, .protocol = 58, .ip_bytes = 56, NOT_READ(PACKET_PROTOCOL, "ICMPv6") },
	{ "GRE", 1,
	  AS(MACS
	     "\x08\0\x45\0\0\x3c\0\0\0\0\x40\x2f\0\0\x0a\0\0\1\x08\x08\x08\x08\0\0\x08\0" IP_4),
	  .family = 4, .protocol = 47, .ip_bytes = 60, NOT_READ(PACKET_PROTOCOL, "GRE") },
	{ "mobility", 1, AS(MACS "\x86\xdd" IP_6("\x18", "\x87") "\x11\0\0\0\0\0\0\0" UDP_OF_8),
	  .family = 6, .protocol = 135, .ip_bytes = 64,
	  NOT_READ(PACKET_PROTOCOL, "IPv6, next header 135") },
	{ "SCTP", 1,
	  AS(MACS "\x86\xdd" IP_6("\x18", "\x3c")
		     OPTIONS("\x84") "\0\1\0\2\0\0\0\0\0\0\0\0\0\0\0\0"),
	  .family = 6, .protocol = 132, .ip_bytes = 64,
	  NOT_READ(PACKET_PROTOCOL, "IPv6, next header 132") },
	{ "options that end nowhere", 1, AS(MACS "\x86\xdd" IP_6("\x08", "\x3c") OPTIONS("\x3c")),
	  .verdict = PACKET_DAMAGED },
};

#define TEST_FRAMES (sizeof(test_frames) / sizeof(test_frames[0]))

/* Whether a reader of Ethernet alone knows it. */
static inline int test_frame_is_ethernet(const struct test_frame *frame)
{
	return frame->link == 1;
}

#endif
