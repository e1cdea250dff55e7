/* SPDX-License-Identifier: Apache-2.0 */
/* What bgpdump prints without -m: an entry is a block of lines up to an empty one. */
#include "table/read.h"
#include "table/word.h"

/* What stands behind a name at the begin of a line; empty where no line has it. */
static struct gm_text value_of(struct gm_text block, const char *name)
{
	size_t length = strlen(name);

	while (block.at < block.end) {
		const char *newline = memchr(block.at, '\n', (size_t)(block.end - block.at));
		struct gm_text line = { block.at, newline ? newline : block.end };

		if ((size_t)(line.end - line.at) >= length && memcmp(line.at, name, length) == 0)
			return trimmed((struct gm_text){ line.at + length, line.end });
		block.at = newline ? newline + 1 : block.end;
	}
	return (struct gm_text){ block.end, block.end };
}

void gm_read_block(struct gm_text text, struct gm_line *line)
{
	struct gm_text prefix = value_of(text, "PREFIX:");

	line->kind = GM_LINE_NO_ROUTE;
	if (prefix.at < prefix.end) {
		/* Behind it may be the identifier of a path (RFC 7911). */
		line->reason = gm_read_destination(word_of(&prefix), line, 0);
		line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
		line->next_hop = value_of(text, "NEXT_HOP:");
	} else if (value_of(text, "ANNOUNCE").at < text.end) {
		line->reason = "an update of several prefixes: take bgpdump -m";
		line->kind = GM_LINE_BAD;
	}
}
