// SPDX-License-Identifier: Apache-2.0
/*
 * DIFFUSE's Remote Action Protocol, version 1, for nodes of that time: read and written, over UDP.
 *
 *   header      version 1 (16 bits), length (16), sequence (32), time in s (32)
 *   sets        id (16), length with this header (16), then
 *     id 1      a template: its id (16), flags (16), elements (16; from 0x8000 on with a length)
 *     id >= 256 records by the template of this id
 *
 * All is big-endian, of IPv4 alone, and without authentication: who can send can steer. Sets of
 * options (0) and commands (2) are passed over.
 */
#ifndef GM_NODE_RAP_H
#define GM_NODE_RAP_H

#include "node/order.h"

#define RAP_ORDERS_MOST 14 /* of a message of at most ORDER_MOST bytes */

/* A message of these orders, of IPv4 and of one class, with its template. Its length. */
size_t rap_write(uint8_t bytes[ORDER_MOST], uint32_t sequence, uint32_t now_s,
		 const struct order *orders, size_t count, const char *class_name);

/*
 * Reads a message, whose template has to be in it. ttl_s: of an order without a timeout. 0 or
 * -EBADMSG with the fault filled.
 */
int rap_read(const uint8_t *bytes, size_t length, uint16_t ttl_s,
	     void (*take)(void *context, const struct order *order), void *context,
	     struct fault *fault);

#endif
