// SPDX-License-Identifier: Apache-2.0
/* What the ports' sockets have in common: buffers, sending a burst, dropping what comes. */
#ifndef GM_SOCKET_H
#define GM_SOCKET_H

#include "port/port.h"

#include <stdbool.h>
#include <sys/socket.h>

/* Gives a socket room for frames on their way, and lets it block for a moment at most. */
void socket_size_send(int fd, bool paced);
void socket_size_receive(int fd, size_t bytes);

/* Only sets the room for bytes on their way. */
void socket_size_output(int fd, size_t bytes);

/*
 * Opens an AF_PACKET socket that sends whole frames from a device, past its qdisc, and receives
 * nothing. Returns it, or -errno with the fault filled.
 */
int socket_open_raw(int device_index, bool paced, struct fault *fault);

/*
 * Sends messages (allocated as zero) with one sendmmsg(), past frames that are refused. Returns how
 * many are dealt with; fewer than count if the socket's buffer stayed full or a signal came.
 */
unsigned int socket_send(int fd, struct mmsghdr *messages, unsigned int count,
			 struct port_tally *tally);

/*
 * Sends a frame that a raw socket refuses halfway, so that the code of the first half is in the
 * caches for the next frame. Nothing leaves.
 */
void socket_warm(int fd);

/* Raises the limit of descriptors of this process to this number, if allowed. */
int socket_allow(size_t descriptors);

/* Opens a UDP socket; flags may be SOCK_NONBLOCK. Returns it or -errno. */
int socket_open_udp(int family, int flags);

/* Binds it to a port of one address, or of any (bytes NULL). */
int socket_bind_udp(int fd, int family, const uint8_t *bytes, uint16_t port);

#endif
