// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * port: whether a port of the flow, of either end, is a well-known service's: 1, else 0. These are
 * the system ports below 1024 (RFC 6335, section 6), SSDP's 1900 and mDNS's 5353. Calls and games
 * agree on ports of their own; what is found at a known port is looked up, fetched or announced.
 */
#ifndef GM_FEATURE_PORT_H
#define GM_FEATURE_PORT_H

#include "classifier/core/view.h"

#define PORT_NAMES { "port", 0, { "service" } }
#define PORT_SYSTEM_HIGH 4 /* the high byte of 1024 */

/* As on the wire: the high byte comes first, on every machine. */
SHARED __u32 port_is_service(const __u16 *port)
{
	const __u8 *byte = (const __u8 *)port;
	__u32 number = (__u32)byte[0] << 8 | byte[1];

	return byte[0] < PORT_SYSTEM_HIGH || number == 1900 || number == 5353;
}

SHARED struct measure port_measure(__u32 statistic, __u32 way)
{
	(void)statistic;
	(void)way;
	return measure(LENGTH, STATISTIC_OWN);
}

SHARED __s32 port_own(const struct view *view, __u32 statistic)
{
	(void)statistic;
	return (__s32)view->service;
}

#endif
