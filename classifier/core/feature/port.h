// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * port: whether a port of the flow, of either end, is a well-known service's: 1, else 0. For
 * `service` these are the system ports below 1024 (RFC 6335, section 6), SSDP's 1900 and mDNS's 5353;
 * for `listed` the services below alone, as calls take other system ports, too. Calls and games
 * agree on ports of their own; what is found at a known port is looked up, fetched or announced.
 */
#ifndef GM_FEATURE_PORT_H
#define GM_FEATURE_PORT_H

#include "classifier/core/view.h"

#define PORT_NAMES { "port", 0, { "service", "listed" } }
#define PORT_LISTED(PORT)                                                                          \
	PORT(53, 53) /* DNS */                                                                     \
	PORT(67, 69) /* DHCP, TFTP */                                                              \
	PORT(88, 88) /* Kerberos */                                                                \
	PORT(111, 111) /* RPC */                                                                   \
	PORT(123, 123) /* NTP */                                                                   \
	PORT(137, 139) /* NetBIOS */                                                               \
	PORT(161, 162) /* SNMP */                                                                  \
	PORT(319, 320) /* PTP */                                                                   \
	PORT(389, 389) /* LDAP */                                                                  \
	PORT(427, 427) /* SLP */                                                                   \
	PORT(443, 443) /* QUIC */                                                                  \
	PORT(500, 500) /* IKE */                                                                   \
	PORT(502, 502) /* Modbus */                                                                \
	PORT(514, 514) /* syslog */                                                                \
	PORT(546, 547) /* DHCPv6 */                                                                \
	PORT(623, 623) /* IPMI */                                                                  \
	PORT(784, 784) /* DNS over QUIC, as drafted */                                             \
	PORT(853, 853) /* DNS over DTLS or QUIC */                                                 \
	PORT(1194, 1194) /* OpenVPN */                                                             \
	PORT(1701, 1701) /* L2TP */                                                                \
	PORT(1719, 1719) /* H.323, registration */                                                 \
	PORT(1812, 1813) /* RADIUS */                                                              \
	PORT(1900, 1900) /* SSDP */                                                                \
	PORT(2049, 2049) /* NFS */                                                                 \
	PORT(2123, 2123) /* GTP's control */                                                       \
	PORT(2152, 2152) /* GTP */                                                                 \
	PORT(2222, 2222) /* EtherNet/IP */                                                         \
	PORT(2427, 2427) /* MGCP */                                                                \
	PORT(2727, 2727) /* MGCP */                                                                \
	PORT(2944, 2945) /* H.248 (Megaco) */                                                      \
	PORT(3544, 3544) /* Teredo */                                                              \
	PORT(3671, 3671) /* KNX */                                                                 \
	PORT(3702, 3702) /* WS-Discovery */                                                        \
	PORT(3784, 3785) /* BFD */                                                                 \
	PORT(3799, 3799) /* RADIUS, changes */                                                     \
	PORT(4500, 4500) /* IPsec behind NAT */                                                    \
	PORT(4739, 4740) /* IPFIX */                                                               \
	PORT(4789, 4789) /* VXLAN */                                                               \
	PORT(4840, 4840) /* OPC UA */                                                              \
	PORT(5060, 5061) /* SIP */                                                                 \
	PORT(5246, 5247) /* CAPWAP */                                                              \
	PORT(5351, 5351) /* NAT-PMP, PCP */                                                        \
	PORT(5353, 5353) /* mDNS */                                                                \
	PORT(5355, 5355) /* LLMNR */                                                               \
	PORT(5683, 5684) /* CoAP */                                                                \
	PORT(6081, 6081) /* Geneve */                                                              \
	PORT(6343, 6343) /* sFlow */                                                               \
	PORT(6514, 6514) /* syslog over DTLS */                                                    \
	PORT(6635, 6636) /* MPLS */                                                                \
	PORT(7000, 7009) /* AFS */                                                                 \
	PORT(10161, 10162) /* SNMP over DTLS */                                                    \
	PORT(11211, 11211) /* memcached */                                                         \
	PORT(20000, 20000) /* DNP3 */                                                              \
	PORT(34962, 34964) /* PROFINET */                                                          \
	PORT(34980, 34980) /* EtherCAT */                                                          \
	PORT(44818, 44818) /* EtherNet/IP */                                                       \
	PORT(47808, 47808) /* BACnet */                                                            \
	PORT(51820, 51820) /* WireGuard */
#define PORT_TERMINAL(PORT)                                                                        \
	PORT(22, 23) /* SSH, Telnet */                                                             \
	PORT(1494, 1494) /* Citrix */                                                              \
	PORT(2598, 2598) /* Citrix, resumed */                                                     \
	PORT(3389, 3389) /* RDP */                                                                 \
	PORT(4000, 4000) /* NoMachine */                                                           \
	PORT(5900, 5910) /* VNC */                                                                 \
	PORT(5938, 5938) /* TeamViewer */                                                          \
	PORT(7070, 7070) /* AnyDesk */
#define PORT_SYSTEM_HIGH 4 /* the high byte of 1024 */

/* As on the wire: the high byte comes first, on every machine. */
SHARED __u32 port_number(const __u16 *port)
{
	const __u8 *byte = (const __u8 *)port;

	return (__u32)byte[0] << 8 | byte[1];
}

SHARED __u32 port_is_service(const __u16 *port)
{
	__u32 number = port_number(port);

	return number >> 8 < PORT_SYSTEM_HIGH || number == 1900 || number == 5353;
}

#define PORT_CASE(least, most) case (least)...(most):
SHARED __u32 port_is_listed(const __u16 *port)
{
	switch (port_number(port)) {
		PORT_LISTED(PORT_CASE)
		return 1;
	default:
		return 0;
	}
}

/* Of TCP: where people type, and see what they typed. */
SHARED __u32 port_is_terminal(const __u16 *port)
{
	switch (port_number(port)) {
		PORT_TERMINAL(PORT_CASE)
		return 1;
	default:
		return 0;
	}
}

SHARED struct measure port_measure(__u32 statistic, __u32 way)
{
	(void)statistic;
	(void)way;
	return measure(LENGTH, STATISTIC_OWN);
}

SHARED __s32 port_own(const struct view *view, __u32 statistic)
{
	return (__s32)(statistic ? view->listed : view->service);
}

#endif
