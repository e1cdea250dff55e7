// SPDX-License-Identifier: Apache-2.0
/* Classic BPF filters of the receiving sockets. */
#ifndef GM_FILTER_H
#define GM_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* Lets through frames with a whole header of UDP to ports low to high, none else. 0 or -errno. */
int filter_attach_ports(int fd, int family, uint16_t low, uint16_t high);

/* Lets through frames whose IP source, or destination, is this address of 4 or 16 bytes. */
int filter_attach_host(int fd, int family, const uint8_t *address, bool is_source);

/* Drops everything. */
int filter_attach_nothing(int fd);

#endif
