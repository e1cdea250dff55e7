// SPDX-License-Identifier: Apache-2.0
/* What client and server report. */
#ifndef GM_CONNECT_REPORT_H
#define GM_CONNECT_REPORT_H

#include "connect/client.h"
#include "connect/server.h"

/* All that could be opened is open, and held from now on. */
void client_report_opened(const struct client *client, struct line *line);

void client_report(const struct client *client, struct line *line);
void server_report(const struct server *server, struct line *line);

#endif
