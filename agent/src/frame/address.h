// SPDX-License-Identifier: Apache-2.0
/* Addresses as requests write them. */
#ifndef GM_ADDRESS_H
#define GM_ADDRESS_H

#include "talk/fault.h"

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

/* 4 or 6, nothing else. key is the request's, for the fault. */
int family_check(int64_t family, const char *key, struct fault *fault);

/* Reads a numeric address into 4 or 16 bytes. */
int address_parse(int family, const char *text, uint8_t *bytes, const char *key,
		  struct fault *fault);

/* Reads aa:bb:cc:dd:ee:ff. */
int mac_parse(const char *text, uint8_t mac[6], const char *key, struct fault *fault);

/* Fills a socket address; bytes NULL: the wildcard. Returns its length. */
socklen_t address_fill(struct sockaddr_storage *storage, int family, const uint8_t *bytes,
		       uint16_t port);

/* The port of a socket address. */
uint16_t address_port(const struct sockaddr_storage *storage);

#endif
