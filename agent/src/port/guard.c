// SPDX-License-Identifier: Apache-2.0
/* Guard sockets. */
#include "port/guard.h"
#include "port/filter.h"
#include "port/socket.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int open_one(int family, int32_t port)
{
	int fd = socket_open_udp(family, SOCK_NONBLOCK);
	int error;

	if (fd < 0)
		return fd;
	error = filter_attach_nothing(fd);
	if (!error)
		error = socket_bind_udp(fd, family, NULL, (uint16_t)port);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int guard_open(struct guard *guard, int family, const struct integers *ports, struct fault *fault)
{
	int error;

	/* Every port is listened to, so none is known to be free. */
	if (!ports->count)
		return 0;
	error = socket_allow(ports->count + 64);
	if (error)
		return fault_system(fault, error, "dst_port", "a socket for each port");
	guard->fd = calloc(ports->count, sizeof(*guard->fd));
	if (!guard->fd)
		return fault_system(fault, -ENOMEM, "dst_port", "a socket for each port");
	for (size_t i = 0; i < ports->count; i++) {
		int fd = open_one(family, ports->item[i]);

		if (fd < 0)
			return fault_system(fault, fd, "dst_port", "a socket that guards the port");
		guard->fd[guard->count++] = fd;
	}
	return 0;
}

void guard_close(struct guard *guard)
{
	for (size_t i = 0; i < guard->count; i++)
		close(guard->fd[i]);
	free(guard->fd);
	*guard = (struct guard){ 0 };
}
