// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes behind the header of a pcap file, of either byte order and unit: packets inside the
 * file or a fault; and written as pcapng they are read as the same.
 */
#include "fuzz/capture_written.h"
#include "tests/unit/made.h"

#define HEADER_BYTES 24
#define NANOSECONDS 9

/* Of one interface for each link, in the order of the packets. */
static void write_pcapng(struct made *made, const struct packets *packets)
{
	made_section(made);
	for (uint32_t i = 0; i < packets->count; i++) {
		const struct capture_packet *packet = &packets->packet[i];

		made_interface(made, packet->link, 0, NANOSECONDS, 0);
		made_packet(made, 6, i, packet->time_ns, packet->bytes, packet->captured,
			    packet->length);
	}
}

/* The header's fields that matter come from the input; its magic is right. */
static uint8_t *with_header(struct input *input, size_t *size)
{
	static const uint32_t magic[] = { 0xa1b2c3d4, 0xa1b23c4d };
	uint8_t flags = input_8(input);
	struct made header = { .big = flags & 1 };
	uint8_t *file;

	made_pcap(&header, magic[flags >> 1 & 1], input_8(input));
	header.bytes[header.big ? 7 : 6] = flags & 4 ? input_8(input) % 5 : 4; /* minor version */
	*size = HEADER_BYTES + input->left;
	file = malloc(*size);
	REQUIRE(file);
	memcpy(file, header.bytes, HEADER_BYTES);
	if (input->left)
		memcpy(file + HEADER_BYTES, input->at, input->left);
	return file;
}

static size_t bytes_of(const struct packets *packets)
{
	size_t bytes = 0;

	for (size_t i = 0; i < packets->count; i++)
		bytes += packets->packet[i].captured + 80;
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct packets packets, again;
	static struct made made;
	struct input input = { data, size };
	size_t bytes;
	uint8_t *file = with_header(&input, &bytes);

	packets_read(&packets, file, bytes);
	if (bytes_of(&packets) < MADE_ROOM - 64) {
		made.size = 0;
		made.big = size & 1;
		write_pcapng(&made, &packets);
		REQUIRE(packets_read(&again, made.bytes, made.size) == 0);
		packets_compare(&packets, &again);
	}
	free(file);
	return 0;
}
