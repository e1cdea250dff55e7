// SPDX-License-Identifier: Apache-2.0
/* What client and server report. */
#ifndef GM_CONNECT_TELL_H
#define GM_CONNECT_TELL_H

#include "connect/client.h"
#include "connect/server.h"

/* All that could be opened is open, and held from now on. */
void tell_opened(const struct client *client, struct line *line);

void tell_client(const struct client *client, struct line *line);
void tell_server(const struct server *server, struct line *line);

#endif
