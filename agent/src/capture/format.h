// SPDX-License-Identifier: Apache-2.0
/* What stands at the beginning of a capture's file, and a packet as pcap writes it. */
#ifndef GM_CAPTURE_FORMAT_H
#define GM_CAPTURE_FORMAT_H

#include "talk/fault.h"

#include <stddef.h>
#include <stdint.h>

#define CAPTURE_INTERFACES_MOST 16

enum capture_format { CAPTURE_PCAPNG, CAPTURE_PCAP };

/* An interface of the section: a device and a direction. */
struct capture_interface {
	const char *name; /* borrowed */
	const char *description;
	uint16_t link_type; /* LINKTYPE_... of the pcap format's registry */
};

/* What a file is, and what it says of itself. */
struct capture_kind {
	enum capture_format format;
	uint32_t snaplen;
	struct capture_interface interface[CAPTURE_INTERFACES_MOST];
	size_t interfaces;
};

/*
 * Whether the format can say all that: pcap has one link type for all packets. 0 or -EINVAL with
 * the fault of key "format" filled.
 */
int format_check(const struct capture_kind *kind, struct fault *fault);

/* A section header and an interface of at most 128 bytes each. */
#define FORMAT_HEADER_MOST (64 + CAPTURE_INTERFACES_MOST * 128)

/* Writes the header of a file; returns its bytes. */
size_t format_header(const struct capture_kind *kind, uint8_t header[FORMAT_HEADER_MOST]);

/* Writes an Enhanced Packet Block as a record of pcap, which is shorter; returns its bytes. */
size_t format_record(const uint8_t *block, uint8_t *record);

#endif
