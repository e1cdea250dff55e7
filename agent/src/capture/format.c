// SPDX-License-Identifier: Apache-2.0
/* pcapng's section and interfaces; pcap's header and records. All in the host's byte order. */
#include "capture/format.h"
#include "bpf/capture.h"
#include "time/clock.h"

#include <errno.h>
#include <string.h>

#define SECTION_BLOCK 0x0a0d0d0au
#define SECTION_ORDER 0x1a2b3c4du
#define INTERFACE_BLOCK 1u
#define OPTION_NAME 2
#define OPTION_DESCRIPTION 3
#define OPTION_RESOLUTION 9
#define NAME_MOST 15 /* of an interface (IFNAMSIZ) */
#define PCAP_NS 0xa1b23c4du

struct writer {
	uint8_t *at;
};

static void put(struct writer *writer, const void *data, size_t bytes)
{
	memcpy(writer->at, data, bytes);
	writer->at += bytes;
}

static void put16(struct writer *writer, uint16_t value)
{
	put(writer, &value, sizeof(value));
}

static void put32(struct writer *writer, uint32_t value)
{
	put(writer, &value, sizeof(value));
}

static void put_option(struct writer *writer, uint16_t code, const void *value, size_t bytes)
{
	put16(writer, code);
	put16(writer, (uint16_t)bytes);
	put(writer, value, bytes);
	for (; bytes % 4; bytes++)
		*writer->at++ = 0;
}

/* The length stands at both ends of a block. */
static void end_block(struct writer *writer, uint8_t *begin)
{
	uint32_t bytes = (uint32_t)(writer->at - begin) + 4;

	memcpy(begin + 4, &bytes, sizeof(bytes));
	put32(writer, bytes);
}

static void put_section(struct writer *writer)
{
	uint8_t *begin = writer->at;

	put32(writer, SECTION_BLOCK);
	put32(writer, 0);
	put32(writer, SECTION_ORDER);
	put16(writer, 1); /* version 1.0 */
	put16(writer, 0);
	put32(writer, UINT32_MAX); /* of a length that nobody knows yet */
	put32(writer, UINT32_MAX);
	end_block(writer, begin);
}

static void put_interface(struct writer *writer, const struct capture_interface *interface,
			  uint32_t snaplen)
{
	const uint8_t nanoseconds = 9;
	uint8_t *begin = writer->at;

	put32(writer, INTERFACE_BLOCK);
	put32(writer, 0);
	put16(writer, interface->link_type);
	put16(writer, 0);
	put32(writer, snaplen);
	put_option(writer, OPTION_NAME, interface->name, strnlen(interface->name, NAME_MOST));
	put_option(writer, OPTION_DESCRIPTION, interface->description,
		   strlen(interface->description));
	put_option(writer, OPTION_RESOLUTION, &nanoseconds, 1);
	put32(writer, 0); /* the end of the options */
	end_block(writer, begin);
}

static void put_pcap(struct writer *writer, const struct capture_kind *kind)
{
	put32(writer, PCAP_NS);
	put16(writer, 2); /* version 2.4 */
	put16(writer, 4);
	put32(writer, 0);
	put32(writer, 0);
	put32(writer, kind->snaplen);
	put32(writer, kind->interface[0].link_type);
}

int format_check(const struct capture_kind *kind, struct fault *fault)
{
	const struct capture_interface *first = &kind->interface[0];

	for (size_t i = 1; kind->format == CAPTURE_PCAP && i < kind->interfaces; i++)
		if (kind->interface[i].link_type != first->link_type)
			return fault_set(fault, -EINVAL, "format",
					 "ask for pcapng, or capture one device at a time",
					 "pcap has one link type: packets of %s and %s begin in "
					 "different ways",
					 first->name, kind->interface[i].name);
	return 0;
}

size_t format_header(const struct capture_kind *kind, uint8_t header[FORMAT_HEADER_MOST])
{
	struct writer writer = { .at = header };

	if (kind->format == CAPTURE_PCAP) {
		put_pcap(&writer, kind);
		return (size_t)(writer.at - header);
	}
	put_section(&writer);
	for (size_t i = 0; i < kind->interfaces; i++)
		put_interface(&writer, &kind->interface[i], kind->snaplen);
	return (size_t)(writer.at - header);
}

size_t format_record(const uint8_t *block, uint8_t *record)
{
	struct writer writer = { .at = record };
	struct capture_block header;
	uint64_t time_ns;

	memcpy(&header, block, sizeof(header));
	time_ns = (uint64_t)header.time_high << 32 | header.time_low;
	put32(&writer, (uint32_t)(time_ns / NS_PER_S));
	put32(&writer, (uint32_t)(time_ns % NS_PER_S));
	put32(&writer, header.captured);
	put32(&writer, header.length);
	put(&writer, block + sizeof(header), header.captured);
	return (size_t)(writer.at - record);
}
