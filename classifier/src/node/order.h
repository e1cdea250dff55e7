// SPDX-License-Identifier: Apache-2.0
/*
 * What a classifier node (CN) asks of an action node (AN), as IPFIX messages (RFC 7011).
 *
 * A record is a flow with five elements of our own: action (1: prefer, 0: no more), ttl (s), class,
 * confidence (percent) and the model's checksum. The flow's source is the LAN's end, its addresses
 * are those before NAT. A record of options gives a class its name. An order holds for its ttl and is
 * sent again before that, so that a lost one heals, and a dead CN leaves nothing behind.
 *
 * Whoever may connect could steer, so each message ends with a tag: SipHash-2-4, by a key that both
 * have, of the AN's nonce of this connection, the message's number in it, and all bytes before the
 * tag. A forged message has no right tag, and one sent again has another number or another nonce. No
 * clock is needed for this, which small devices lack after a start. The content is not secret.
 */
#ifndef GM_NODE_ORDER_H
#define GM_NODE_ORDER_H

#include "classifier/core/flow.h"
#include "flows/message.h"
#include "node/siphash.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_PORT "4739" /* IPFIX's own */
#define ORDER_NONCE_BYTES 16
#define ORDER_HEADER_BYTES MESSAGE_HEADER_BYTES
#define ORDER_TAG_BYTES 8
#define ORDER_MOST MESSAGE_MOST /* bytes; a message of more is not read */
#define ORDER_NAME_MOST 32
#define ORDER_FIX "let one of gm-classifier send, with the same key"

enum order_action { ORDER_NO_MORE, ORDER_PREFER };

struct order {
	struct flow_key key;
	uint8_t action, class, confidence;
	uint16_t ttl_s;
	uint32_t model;
};

/* One direction of a connection: what a tag is made of besides the message. */
struct seal {
	uint8_t key[SIPHASH_KEY_BYTES], nonce[ORDER_NONCE_BYTES];
	uint64_t number; /* of messages before this one */
};

uint64_t seal_tag(const struct seal *seal, const uint8_t *bytes, size_t length);

/* A message that is written. */
struct orders {
	struct message message;
	uint32_t records; /* of the connection, those of this message too */
	uint32_t before; /* without them */
};

/* Begins a message; the first of a connection has the templates. */
void orders_begin(struct orders *orders, bool with_templates);

/* False: there is no room, and the message has to go first. */
bool orders_add(struct orders *orders, const struct order *order);
bool orders_add_name(struct orders *orders, uint8_t class, const char *name);

/* Ends the message and counts it: it may go. */
void orders_end(struct orders *orders, struct seal *seal, uint32_t now_s);

#define READER_TEMPLATES 16
#define READER_FIELDS 24

struct reader_field {
	uint32_t enterprise; /* 0: IANA's */
	uint16_t element, bytes;
};

struct reader_template {
	uint16_t id, fields, bytes; /* of a record */
	struct reader_field field[READER_FIELDS];
};

/* What is known of a connection's sender. */
struct reader {
	struct seal seal;
	uint32_t records; /* data records so far: the next message's sequence number */
	unsigned int templates;
	struct reader_template template[READER_TEMPLATES];
	char name[256][ORDER_NAME_MOST]; /* of classes: letters, digits, -_.? alone */
	void (*take)(void *context, const struct order *order);
	void *context;
};

/* A message's bytes by its header; 0: it is none, or longer than ORDER_MOST. */
size_t order_length(const uint8_t header[ORDER_HEADER_BYTES]);

/* Whether a whole message has the right tag. */
bool order_is_sealed(const struct seal *seal, const uint8_t *bytes, size_t length);

/*
 * Reads a whole message, of which nothing is taken unless its tag is right. 0, or -EACCES or
 * -EBADMSG with the fault filled, after which the connection is not to be read any more.
 */
int order_read(struct reader *reader, const uint8_t *bytes, size_t length, struct fault *fault);

#endif
