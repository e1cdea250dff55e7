// SPDX-License-Identifier: Apache-2.0
/* Reading a capture's packets and finding their flows. */
#include "capture/flows.h"
#include "replay/open.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000

/* An end of a flow, so that two of them compare as bytes. */
struct end {
	uint32_t address[4];
	uint16_t port, zero;
};

/* What makes a flow, whichever end sent first. */
struct ends {
	struct end low, high;
	uint8_t protocol, family;
	uint8_t zero[2];
};

int flows_open(struct flows *flows, const char *path, const struct file *file, const char *lan,
	       struct fault *fault)
{
	int error;

	*flows = (struct flows){ 0 };
	numbers_open(&flows->numbers, sizeof(struct ends));
	numbers_open(&flows->hosts, sizeof(((struct flow_key *)NULL)->lan));
	error = split_parse(&flows->split, lan, fault);
	if (!error)
		error = capture_open(&flows->capture, path, file->bytes, file->size, fault);
	return error;
}

void flows_close(struct flows *flows)
{
	for (size_t i = 0; i < flows->tables.records; i++)
		free(flows->tables.record[i]);
	free((void *)flows->tables.record);
	free(flows->tables.host);
	numbers_close(&flows->numbers);
	numbers_close(&flows->hosts);
	capture_close(&flows->capture);
}

static struct end end_of(const struct packet_view *view, const uint8_t *address, uint16_t port)
{
	struct end end = { .port = htons(port) };

	memcpy(end.address, address, view->family == 4 ? 4 : 16);
	return end;
}

/* Whether the sender is the low end. */
static bool order(struct ends *ends, const struct packet_view *view)
{
	struct end from = end_of(view, view->source, view->source_port);
	struct end to = end_of(view, view->destination, view->destination_port);
	bool is_low = memcmp(&from, &to, sizeof(from)) < 0;

	*ends = (struct ends){ .protocol = view->protocol, .family = (uint8_t)view->family };
	ends->low = is_low ? from : to;
	ends->high = is_low ? to : from;
	return is_low;
}

static struct flow_record *make_record(const struct flows *flows, const struct ends *ends,
				       bool sender_is_low, const struct packet_view *view)
{
	int side = split_first(&flows->split, view);
	struct flow_record *record = calloc(1, sizeof(*record));
	const struct end *lan, *wan;

	if (!record)
		return NULL;
	record->class = CLASS_NONE;
	record->is_known = side >= 0;
	record->low_is_lan = (side == 1) == sender_is_low;
	lan = record->low_is_lan ? &ends->low : &ends->high;
	wan = record->low_is_lan ? &ends->high : &ends->low;
	memcpy(record->key.lan, lan->address, sizeof(lan->address));
	memcpy(record->key.wan, wan->address, sizeof(wan->address));
	record->key.lan_port = lan->port;
	record->key.wan_port = wan->port;
	record->key.protocol = ends->protocol;
	record->key.family = ends->family;
	return record;
}

static int grow(void **memory, size_t *room, size_t bytes)
{
	size_t more = *room ? *room * 2 : 64;
	void *larger = realloc(*memory, more * bytes);

	if (!larger)
		return -ENOMEM;
	*memory = larger;
	*room = more;
	return 0;
}

/* The place of a new record, in order of their numbers. */
static int keep_record(struct tables *tables, struct flow_record *record)
{
	if (!record)
		return -ENOMEM;
	if (tables->records == tables->room &&
	    grow((void **)&tables->record, &tables->room, sizeof(*tables->record))) {
		free(record);
		return -ENOMEM;
	}
	tables->record[tables->records++] = record;
	return 0;
}

static int find_host(struct flows *flows, struct flow_record *record)
{
	struct tables *tables = &flows->tables;
	int is_new = numbers_of(&flows->hosts, record->key.lan, &record->host);
	size_t before = tables->hosts;

	if (is_new < 0)
		return is_new;
	if (record->host < tables->hosts)
		return 0;
	if (grow((void **)&tables->host, &tables->hosts, sizeof(*tables->host)))
		return -ENOMEM;
	memset(tables->host + before, 0, (tables->hosts - before) * sizeof(*tables->host));
	return 0;
}

/* Makes the packet's flow the current one. Returns the direction, or -errno. */
static int find(struct flows *flows, const struct packet_view *view)
{
	struct tables *tables = &flows->tables;
	struct ends ends;
	bool sender_is_low = order(&ends, view);
	uint32_t number;
	int is_new = numbers_of(&flows->numbers, &ends, &number);
	int error = is_new < 0 ? is_new : 0;

	if (is_new > 0) {
		error = keep_record(tables, make_record(flows, &ends, sender_is_low, view));
		if (!error)
			error = find_host(flows, tables->record[number]);
	}
	if (error)
		return error;
	tables->current = tables->record[number];
	return sender_is_low == tables->current->low_is_lan ? WAY_UP : WAY_DOWN;
}

static void fill(struct flows *flows, struct seen *seen, const struct packet_view *view, int way)
{
	struct flow_record *record = flows->tables.current;

	*seen = (struct seen){ .key = record->key };
	seen->moment.time_us = flows->last_us;
	seen->moment.length = view->length;
	seen->moment.way = (uint32_t)way;
	seen->head = head_of(view);
	if (!record->packets)
		record->first_us = flows->last_us;
	record->packets++;
	record->bytes += view->length;
}

int flows_next(struct flows *flows, struct seen *seen, struct packet_view *view,
	       struct fault *fault)
{
	struct capture_packet packet;
	int result = capture_next(&flows->capture, &packet, fault);

	for (; result > 0; result = capture_next(&flows->capture, &packet, fault)) {
		enum packet_verdict verdict = packet_read(view, &packet);
		int way;

		left_read(&flows->left, &packet);
		if (verdict == PACKET_TAKEN && !packet.timed)
			verdict = PACKET_TIME;
		if (verdict != PACKET_TAKEN) {
			left_add(&flows->left, verdict, &packet, view);
			continue;
		}
		flows->last_us = packet.time_ns / NS_PER_US;
		way = find(flows, view);
		if (way < 0)
			return fault_system(fault, way, "trace", "the flows of the capture");
		if (flows->tables.current->is_known) {
			fill(flows, seen, view, way);
			return 1;
		}
		left_add(&flows->left, PACKET_SIDE, &packet, view);
	}
	return result;
}

int flows_tell_left(const struct flows *flows, struct fault *fault)
{
	char reasons[192];
	uint64_t left = 0;

	for (int why = 0; why < PACKET_VERDICTS; why++)
		left += flows->left.packets[why];
	if (!left)
		return 0;
	left_explain(&flows->left, reasons, sizeof(reasons));
	if (left == flows->left.read)
		return fault_set(fault, -EINVAL, "FILE", "tcpdump -nr FILE shows what it holds",
				 "no packet of a flow of TCP or UDP can be read: %s", reasons);
	fprintf(stderr, "gm-classifier: left out: %s\n", reasons);
	return 0;
}

const char *flow_name(const struct flow_record *record, char text[FLOW_NAME_MOST])
{
	const struct flow_key *key = &record->key;
	int family = key->family == 4 ? AF_INET : AF_INET6;
	char lan[INET6_ADDRSTRLEN], wan[INET6_ADDRSTRLEN];

	inet_ntop(family, key->lan, lan, sizeof(lan));
	inet_ntop(family, key->wan, wan, sizeof(wan));
	snprintf(text, FLOW_NAME_MOST, "%s-%s-%u-%s-%u",
		 key->protocol == CLASSIFY_TCP ? "tcp" : "udp", lan, ntohs(key->lan_port), wan,
		 ntohs(key->wan_port));
	return text;
}
