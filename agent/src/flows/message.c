// SPDX-License-Identifier: Apache-2.0
#include "flows/message.h"
#include "frame/bytes.h"

#include <string.h>

void message_begin(struct message *message)
{
	message->used = MESSAGE_HEADER_BYTES;
	message->set = 0;
	message->set_id = 0;
}

void message_put(struct message *message, uint64_t value, size_t bytes)
{
	be_store(message->bytes + message->used, value, bytes);
	message->used += bytes;
}

void message_put_at(struct message *message, size_t at, uint64_t value, size_t bytes)
{
	be_store(message->bytes + at, value, bytes);
}

void message_put_bytes(struct message *message, const void *from, size_t bytes)
{
	memcpy(message->bytes + message->used, from, bytes);
	message->used += bytes;
}

void message_close(struct message *message)
{
	if (message->set)
		message_put_at(message, message->set + 2, message->used - message->set, 2);
	message->set = 0;
	message->set_id = 0;
}

void message_open(struct message *message, uint16_t set_id)
{
	if (message->set_id == set_id)
		return;
	message_close(message);
	message->set = message->used;
	message->set_id = set_id;
	message_put(message, set_id, 2);
	message_put(message, 0, 2);
}

void message_end(struct message *message, const struct message_head *head)
{
	message_close(message);
	message_put_at(message, 0, MESSAGE_VERSION, 2);
	message_put_at(message, 2, message->used, 2);
	message_put_at(message, 4, head->now_s, 4);
	message_put_at(message, 8, head->sequence, 4);
	message_put_at(message, 12, head->domain, 4);
}
