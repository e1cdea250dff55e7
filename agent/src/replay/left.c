// SPDX-License-Identifier: Apache-2.0
#include "replay/left.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* Behind a number of packets; NULL: each is named by its layer. */
static const char *const words[PACKET_VERDICTS] = {
	[PACKET_FAMILY] = "of the other IP version",
	[PACKET_FRAGMENT] = "fragments",
	[PACKET_DAMAGED] = "damaged",
	[PACKET_SIDE] = "of flows without a LAN side",
	[PACKET_TIME] = "without a sound time",
	[PACKET_ROUTED] = "with a routing header",
};

void left_read(struct left *left, const struct capture_packet *packet)
{
	left->read++;
	left->read_bytes += packet->length;
}

void left_add(struct left *left, enum packet_verdict why, const struct capture_packet *packet,
	      const struct packet_view *view)
{
	left->packets[why]++;
	left->bytes += packet->length;
	if (why == PACKET_NOT_IP || why == PACKET_PROTOCOL)
		unread_add(&left->unread, view);
	if (why == PACKET_TOO_LONG && view->length > left->longest)
		left->longest = view->length;
}

struct text {
	char *at;
	size_t room, used;
};

__attribute__((format(printf, 2, 3))) static void append(struct text *text, const char *format, ...)
{
	va_list arguments;
	int more;

	va_start(arguments, format);
	more = vsnprintf(text->at + text->used, text->room - text->used, format, arguments);
	va_end(arguments);
	text->used += (size_t)more;
	if (text->used >= text->room)
		text->used = text->room - 1;
}

void left_each(const struct left *left,
	       void (*each)(void *context, const char *reason, uint64_t packets), void *context)
{
	char name[UNREAD_NAME_MOST];

	for (size_t i = 0; i < left->unread.kinds; i++)
		each(context,
		     unread_name(name, left->unread.kind[i].layer, left->unread.kind[i].number),
		     left->unread.kind[i].packets);
	if (left->unread.others)
		each(context, "of further kinds", left->unread.others);
	for (int why = 0; why < PACKET_VERDICTS; why++)
		if (words[why] && left->packets[why])
			each(context, words[why], left->packets[why]);
	snprintf(name, sizeof(name), "too long (more than packet_most %u)", left->packet_most);
	if (left->packets[PACKET_TOO_LONG])
		each(context, name, left->packets[PACKET_TOO_LONG]);
}

static void append_reason(void *context, const char *reason, uint64_t packets)
{
	struct text *text = context;

	append(text, "%s%" PRIu64 " %s", text->used ? ", " : "", packets, reason);
}

const char *left_explain(const struct left *left, char *to, size_t room)
{
	struct text text = { .at = to, .room = room };

	*to = '\0';
	left_each(left, append_reason, &text);
	if (!left->read)
		append(&text, "no packet");
	return to;
}

enum packet_verdict left_main(const struct left *left)
{
	enum packet_verdict most = PACKET_TAKEN;

	for (int why = 0; why < PACKET_VERDICTS; why++)
		if (left->packets[why] > left->packets[most])
			most = (enum packet_verdict)why;
	return most;
}
