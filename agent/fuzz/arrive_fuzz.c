// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a frame that arrives in a replay, and frames of the replay with bytes laid over them:
 * each is in exactly one account, and one that nothing was done to is the packet that it is.
 */
#include "frame/checksum.h"
#include "frame/frame.h"
#include "fuzz/fuzz.h"
#include "replay/arrive.h"
#include "replay/open.h"
#include "tests/unit/made.h"

#define PACKETS 24

/* One replay of each family, made once: up and down, UDP and TCP, several flows of one port. */
struct replay {
	struct lab lab;
	struct made made;
	struct trace trace;
	struct frames frames[WAYS];
	struct arrive arrive[WAYS];
};

static void add_packet(struct made *made, int family, uint32_t i)
{
	struct made frame = { .big = true };
	uint32_t up = i % 3 != 2, near = 0x0a000001 + i % 4, far = 0x08080808;
	uint32_t tcp = i % 2, l4 = tcp ? 20 + i : 8 + i;

	made_bytes(&frame, "\2\0\0\0\0\1\2\0\0\0\0\2", 12);
	made_16(&frame, family == 4 ? 0x0800 : 0x86dd);
	if (family == 4) {
		made_16(&frame, 0x4500);
		made_16(&frame, 20 + l4);
		made_bytes(&frame, "\0\1\x40\0\x40", 5);
		made_8(&frame, tcp ? 6 : 17);
		made_16(&frame, 0);
		made_32(&frame, up ? near : far);
		made_32(&frame, up ? far : near);
	} else {
		made_32(&frame, 0x60000000);
		made_16(&frame, l4);
		made_8(&frame, tcp ? 6 : 17);
		made_8(&frame, 64);
		made_bytes(&frame, up ? "\xfd\0\0\0\0\0\0\0\0\0\0\0" : " \1\0\0\0\0\0\0\0\0\0\0",
			   12);
		made_32(&frame, up ? near : far);
		made_bytes(&frame, up ? " \1\0\0\0\0\0\0\0\0\0\0" : "\xfd\0\0\0\0\0\0\0\0\0\0\0",
			   12);
		made_32(&frame, up ? far : near);
	}
	made_16(&frame, up ? 4000 + i % 4 : 443);
	made_16(&frame, up ? 443 : 4000 + i % 4);
	made_16(&frame, l4);
	frame.size += l4 - 6; /* zeros */
	if (tcp)
		frame.bytes[frame.size - l4 + 12] = 0x50;
	made_record(made, i, 0, frame.bytes, (uint32_t)frame.size, (uint32_t)frame.size);
}

static void open_way(struct replay *replay, enum way way)
{
	struct fault fault;

	REQUIRE(frames_open(&replay->frames[way], &replay->trace, &replay->lab, way, &fault) == 0);
	REQUIRE(arrive_open(&replay->arrive[way], &replay->trace, &replay->lab, way, 1000000000,
			    &fault) == 0);
}

static void open_replay(struct replay *replay, int family)
{
	struct trace_options options = { .family = family,
					 .ways = { true, true },
					 .clones = 2,
					 .clients = 3,
					 .packet_most = 1500,
					 .speed = 1,
					 .duration_ns = UINT64_MAX };
	struct capture capture;
	struct fault fault;

	replay->lab = (struct lab){ .family = family, .masked = true };
	made_pcap(&replay->made, 0xa1b2c3d4, 1);
	for (uint32_t i = 0; i < PACKETS; i++)
		add_packet(&replay->made, family, i);
	REQUIRE(split_parse(&options.split, "auto", &fault) == 0);
	REQUIRE(capture_open(&capture, "made", replay->made.bytes, replay->made.size, &fault) == 0);
	REQUIRE(trace_open(&replay->trace, &options, &capture, &fault) == 0);
	REQUIRE(replay->trace.entries[WAY_UP] == PACKETS / 3 * 2 * 2);
	capture_close(&capture);
	open_way(replay, WAY_UP);
	open_way(replay, WAY_DOWN);
}

static struct replay *replay_of(int family)
{
	static struct replay replays[2];
	struct replay *replay = &replays[family == 6];

	if (!replay->made.size)
		open_replay(replay, family);
	return replay;
}

static void fix_checksums(uint8_t *frame, size_t length, int family)
{
	uint8_t *ip = frame + ETHERNET_BYTES;
	size_t header = family == 4 ? (size_t)(ip[0] & 15) * 4 : IPV6_BYTES;
	uint8_t protocol = family == 4 ? ip[9] : ip[6];
	size_t total = family == 4 ? be16_load(ip + 2) : IPV6_BYTES + be16_load(ip + 4);
	size_t at = header + (protocol == PROTOCOL_TCP ? 16 : 6);
	size_t addresses = family == 4 ? 8 : 32;
	uint64_t sum;

	if (total > length - ETHERNET_BYTES || total < at + 2)
		return;
	if (family == 4) {
		be16_store(ip + 10, 0);
		be16_store(ip + 10, (uint16_t)~checksum_fold(checksum_sum(ip, header)));
	}
	be16_store(ip + at, 0);
	sum = protocol + (total - header);
	sum += checksum_sum(ip + (family == 4 ? 12 : 8), addresses);
	sum += checksum_sum(ip + header, total - header);
	be16_store(ip + at, (uint16_t)~checksum_fold(sum));
}

/* A frame of the replay with the input laid over it; its checksums right or not. */
static size_t disturb(uint8_t *frame, const struct replay *replay, enum way way,
		      struct input *input, bool fix)
{
	const struct frames *frames = &replay->frames[way];
	uint32_t number = input_8(input) % replay->trace.entries[way];
	size_t length = frames->at[number + 1] - frames->at[number];
	size_t at = input_8(input) % length;

	memcpy(frame, frames->bytes + frames->at[number], length);
	for (; input->left && at < length; at++)
		frame[at] ^= input_8(input);
	if (fix)
		fix_checksums(frame, length, replay->lab.family);
	return length;
}

static void arrive(struct arrive *arrive, const uint8_t *bytes, size_t length, uint8_t flags)
{
	uint64_t before = arrive->received + arrive->foreign + arrive->corrupt;
	uint8_t *copy = input_copy((struct input){ bytes, length });
	const struct arrived frame = { .bytes = copy,
				       .length = (uint32_t)length,
				       .captured = (uint32_t)length,
				       .checked = flags & 8,
				       .time_ns = before * 1000 };
	int64_t flow = arrive_add(arrive, &frame);

	REQUIRE(arrive->received + arrive->foreign + arrive->corrupt == before + 1);
	REQUIRE(arrive->received == arrive->unique + arrive->duplicated);
	REQUIRE(arrive->unique <= arrive->trace->entries[arrive->way]);
	REQUIRE(arrive->reordered <= arrive->unique && arrive->unmasked <= arrive->foreign);
	REQUIRE(flow < (int64_t)arrive->trace->flows);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t frame[FRAME_MAX];
	struct input input = { data, size };
	uint8_t flags = input_8(&input);
	struct replay *replay = replay_of(flags & 1 ? 6 : 4);
	enum way way = flags & 2 ? WAY_DOWN : WAY_UP;
	struct arrive *books = &replay->arrive[way];

	if (flags & 4) {
		size_t length = disturb(frame, replay, way, &input, flags & 16);

		arrive(books, frame, length, flags);
	} else {
		struct input part = input_part(&input, sizeof(frame));

		arrive(books, part.at, part.left, flags);
	}
	return 0;
}
