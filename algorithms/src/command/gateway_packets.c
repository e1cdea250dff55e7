/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nat entries=FLOWS: of a frame of 64 bytes parse, flow look-up, rewriting of address and port, both
 * checksums, TTL, storing to a ring of frames. parse capture=FILE (or made frames): the headers.
 */
#include "command/gateway.h"
#include "gm/nat.h"
#include "program/frames.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>
#include <string.h>

enum { SLOT = 64, FRAME = 60, RING = 256, MADE_FRAMES = 4096 };

struct nat {
	struct gateway gateway;
	struct gm_flow_table table;
	uint8_t *frames, *ring;
	uint32_t entries;
};

/* The frame's checksums afterwards stand for all that was done to it. */
static uint32_t translate(const struct gm_flow_table *table, uint8_t *frame)
{
	struct gm_packet packet;
	struct gm_flow_key key;
	uint32_t slot;

	if (gm_packet_parse(&packet, frame, FRAME) != GM_PACKET_OK)
		return 0;
	key = gm_nat_key(frame, &packet);
	slot = gm_flow_table_find(table, &key);
	if (slot == GM_FLOW_NONE)
		return 0;
	if (gm_nat_rewrite(frame, &packet, GM_NAT_SOURCE, 0xcb007101,
			   (uint16_t)table->flows[slot].value) != GM_NAT_OK)
		return 0;
	return (uint32_t)gm_packet_u16(frame + 24) << 16 | gm_packet_u16(frame + 40);
}

static void nat_pass(void *state)
{
	struct nat *nat = state;

	for (uint32_t i = 0; i < nat->gateway.count; i++) {
		uint8_t *frame = nat->ring + (size_t)(i % RING) * SLOT;

		memcpy(frame, nat->frames + (size_t)i * SLOT, SLOT);
		nat->gateway.results[i] = translate(&nat->table, frame);
	}
}

static void nat_build(struct nat *nat)
{
	struct gm_random random = { 1 };

	if (gm_flow_table_init(&nat->table, 2 * nat->entries + 2, 1) < 0)
		fail(1, "no memory for %u flows", nat->entries);
	nat->frames = memory_new(nat->gateway.count, SLOT);
	nat->ring = memory_new(RING, SLOT);
	for (uint32_t i = 0; i < nat->gateway.count; i++) {
		/* Numbers of the flow: its frames look alike, the flows do not. */
		uint32_t number = i < nat->entries ? i : gm_random_below(&random, nat->entries);
		struct gm_random flow = { number };
		uint32_t source = 0xc0a80000 | gm_random_u32(&flow) >> 16;
		uint32_t destination = gm_random_u32(&flow);
		struct gm_flow_key key = { source, destination, gm_random_u32(&flow), 17 };
		uint32_t slot = gm_flow_table_insert(&nat->table, &key);

		nat->table.flows[slot].value = 1024 + number % 64000;
		frames_udp(nat->frames + (size_t)i * SLOT, source, destination, key.ports);
	}
}

int gateway_nat(struct ask *ask, const char *name)
{
	struct nat nat = { .entries = (uint32_t)ask_number(ask, "entries", 1000, 1, 1U << 22) };
	uint32_t frames = nat.entries > 1U << 14 ? nat.entries : 1U << 14;

	nat.gateway.bytes = 64ULL * (nat.entries + 1ULL);
	if (!gateway_fits(ask, name, nat.gateway.bytes + 68ULL * frames))
		return 0;
	gateway_build(&nat.gateway, ask, frames);
	nat_build(&nat);
	gateway_time(&nat.gateway, NULL, nat_pass, &nat, frames);
	gateway_record(&nat.gateway, name, "portable");
	record_number("entries", nat.entries);
	gm_flow_table_free(&nat.table);
	free(nat.frames);
	free(nat.ring);
	return gateway_end(&nat.gateway, frames);
}

struct parse {
	struct gateway gateway;
	struct frames frames;
};

static uint32_t fields(const struct gm_packet *packet)
{
	uint32_t ports = (uint32_t)packet->source_port << 16 | packet->destination_port;

	return ports ^ packet->transport << 8 ^ (uint32_t)packet->protocol << 2;
}

static void parse_pass(void *state)
{
	struct parse *parse = state;
	const struct frames *frames = &parse->frames;

	for (uint32_t i = 0; i < frames->count; i++) {
		uint32_t length = frames->begins[i + 1] - frames->begins[i];
		struct gm_packet packet;
		enum gm_packet_fault fault;

		fault = gm_packet_parse(&packet, frames->bytes + frames->begins[i], length);
		parse->gateway.results[i] = fault ? (uint32_t)fault : fields(&packet);
	}
}

int gateway_parse(struct ask *ask, const char *name)
{
	const char *capture = ask_text(ask, "capture", "");
	struct parse parse;

	if (*capture)
		frames_read(&parse.frames, capture);
	else
		frames_make(&parse.frames, MADE_FRAMES);
	gateway_build(&parse.gateway, ask, parse.frames.count);
	parse.gateway.bytes = parse.frames.begins[parse.frames.count];
	gateway_time(&parse.gateway, NULL, parse_pass, &parse, parse.frames.count);
	gateway_record(&parse.gateway, name, "portable");
	record_text("capture", *capture ? capture : "made");
	frames_free(&parse.frames);
	return gateway_end(&parse.gateway, parse.frames.count);
}
