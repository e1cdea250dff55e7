// SPDX-License-Identifier: Apache-2.0
/* The client's job, by as many processes as necessary. */
#ifndef GM_CLIENTS_H
#define GM_CLIENTS_H

#include "connect/client.h"

/* From the request to done. options.connections is that of all. 0 or -errno. */
int clients_run(const struct client_options *options, struct talk *talk, int cpu,
		struct fault *fault);

#endif
