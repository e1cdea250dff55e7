// SPDX-License-Identifier: Apache-2.0
/* What stands at the beginning of a capture's file, and a packet as pcap writes it. */
#ifndef GM_CAPTURE_FORMAT_H
#define GM_CAPTURE_FORMAT_H

#include "capture/file.h"

/* A section header and an interface of at most 128 bytes each. */
#define FORMAT_HEADER_MOST (64 + CAPTURE_INTERFACES_MOST * 128)

/* Writes the header of a file; returns its bytes. */
size_t format_header(const struct capture_file *file, uint8_t header[FORMAT_HEADER_MOST]);

/* Writes an Enhanced Packet Block as a record of pcap, which is shorter; returns its bytes. */
size_t format_record(const uint8_t *block, uint8_t *record);

#endif
