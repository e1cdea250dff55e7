// SPDX-License-Identifier: Apache-2.0
/*
 * Blocks of pcapng that an input describes, with right lengths or not, in either byte order, and
 * any bytes behind a section's header: packets inside the file or a fault; and what pcap can hold
 * of them is read from a pcap file as the same.
 */
#include "fuzz/capture_written.h"
#include "tests/unit/made.h"

#define BODY_MAX 512
#define NS_PER_S 1000000000u

/* A block of any type whose two lengths agree, or do not. */
static void add_block(struct made *made, struct input *input)
{
	static const uint8_t types[] = { 1, 2, 3, 6, 5, 4, 9, 255 };
	uint8_t flags = input_8(input);
	uint32_t type = types[flags & 7];
	struct input part = input_part(input, input_8(input) & ~3u);
	struct made body = { .big = made->big };

	if (part.left)
		made_bytes(&body, part.at, part.left & ~(size_t)3);
	if (made->size + body.size + 12 > MADE_ROOM)
		return;
	made_block(made, type, body.bytes, (uint32_t)body.size);
	if (flags & 128)
		made->bytes[made->size - 1] ^= input_8(input);
}

static void add_one(struct made *made, struct input *input, uint8_t what)
{
	struct input part;

	if (made->size + BODY_MAX > MADE_ROOM)
		return;
	switch (what) {
	case 0:
		made->big = !made->big;
		made_section(made);
		break;
	case 1:
		made_interface(made, input_8(input), input_8(input), input_8(input),
			       input_8(input));
		break;
	case 2:
	case 3:
		part = input_part(input, input_8(input));
		made_packet(made, what == 2 ? 6 : 2, input_8(input) % 4u, input_64(input),
			    part.left ? part.at : (const uint8_t *)"", (uint32_t)part.left,
			    input_16(input));
		break;
	case 4:
		part = input_part(input, input_8(input));
		made_simple(made, part.left ? part.at : (const uint8_t *)"", (uint32_t)part.left,
			    (uint32_t)part.left);
		break;
	default:
		add_block(made, input);
	}
}

/* What is left of the input stands behind the blocks as it is. */
static void describe(struct made *made, struct input *input)
{
	uint8_t flags = input_8(input);

	*made = (struct made){ .big = flags & 1 };
	made_section(made);
	for (uint8_t blocks = flags >> 1; blocks && input->left; blocks--)
		add_one(made, input, input_8(input) % 6);
	if (made->size + input->left <= MADE_ROOM && input->left)
		made_bytes(made, input->at, input->left);
}

/* pcap has one link and 32 bits of seconds. */
static bool fits_pcap(const struct packets *packets)
{
	for (size_t i = 0; i < packets->count; i++)
		if (packets->packet[i].link != packets->packet[0].link ||
		    packets->packet[i].time_ns / NS_PER_S > UINT32_MAX)
			return false;
	return packets->count;
}

static void write_pcap(struct made *made, const struct packets *packets)
{
	*made = (struct made){ .big = packets->count & 1 };
	made_pcap(made, 0xa1b23c4d, packets->packet[0].link);
	for (size_t i = 0; i < packets->count; i++) {
		const struct capture_packet *packet = &packets->packet[i];

		made_record(made, (uint32_t)(packet->time_ns / NS_PER_S),
			    (uint32_t)(packet->time_ns % NS_PER_S), packet->bytes, packet->captured,
			    packet->length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct packets packets, again;
	static struct made made, other;
	struct input input = { data, size };
	uint8_t *file;

	describe(&made, &input);
	file = input_copy((struct input){ made.bytes, made.size });
	packets_read(&packets, file, made.size);
	if (fits_pcap(&packets) && packets.count * 16 + made.size < MADE_ROOM - 24) {
		write_pcap(&other, &packets);
		REQUIRE(packets_read(&again, other.bytes, other.size) == 0);
		packets_compare(&packets, &again);
	}
	free(file);
	return 0;
}
