// SPDX-License-Identifier: Apache-2.0
/* The server's job, by as many processes as necessary. */
#ifndef GM_SERVERS_H
#define GM_SERVERS_H

#include "connect/server.h"

/* From the request to done. options.connections is that of all. 0 or -errno. */
int servers_run(const struct server_options *options, struct talk *talk, int cpu,
		struct fault *fault);

#endif
