// SPDX-License-Identifier: Apache-2.0
/* One connection, for conn.c, which opens it, and poll.c, which handles its events. */
#ifndef GM_CONN_H
#define GM_CONN_H

#include "connect/client.h"

/* Whether it waits for an answer or for its end. */
bool conn_flies(const struct conn *conn);

/* Ends it in any case; the place is free. */
void conn_release(struct client *client, unsigned int at);

/* Sends a message over an established connection, which may end it. */
void conn_send(struct client *client, unsigned int at, uint64_t now);

/* failure.c. The failure that an errno means for a connection, which is being opened or is open. */
enum failure failure_of(int error, bool connecting);

#endif
