# SPDX-License-Identifier: Apache-2.0
"""NAT: which port a host gets outside, who may answer there, and how long that lasts."""

from typing import Final

ALONE: Final = "share of trials in which "

# What its values are: the unit, and words. Those in `ratio` are 0 or 1 in a trial.
QUANTITIES: Final = {
    "nat_met": ("ratio", "share of the requirements for NAT that were asked and met"),
    "nat_udp_reused_port": ("ratio", ALONE + "UDP to another port of a host kept its mapping"),
    "nat_udp_reused_host": ("ratio", ALONE + "UDP to another host kept its mapping"),
    "nat_udp_reused_rival": ("ratio", ALONE + "it did so where another client had the port (UDP)"),
    "nat_port_kept": ("ratio", "share of the source ports that stayed as they were"),
    "nat_parity_kept": ("ratio", "share of the changed ports that stayed even or odd"),
    "nat_port_shared": ("ratio", ALONE + "two clients had the same port at once", True),
    "nat_udp_from_port": ("ratio", ALONE + "another port of the host asked was let in (UDP)"),
    "nat_udp_from_host": ("ratio", ALONE + "another host than the one asked was let in (UDP)"),
    "nat_udp_hairpin": ("ratio", ALONE + "a client reached another by its outside address (UDP)"),
    "nat_hairpin_outside": ("ratio", ALONE + "it then came from its own outside (UDP)"),
    "nat_error_in": ("ratio", ALONE + "an ICMP error from outside came to the client"),
    "nat_error_out": ("ratio", ALONE + "an ICMP error of a client went outside"),
    "nat_error_survived": ("ratio", ALONE + "a mapping outlived an ICMP error"),
    "nat_error_time": ("ratio", ALONE + "an ICMP error of a time exceeded came to the client"),
    "nat_error_wrong": ("ratio", ALONE + "an ICMP error with a wrong checksum came in", True),
    "nat_hairpin_error": ("ratio", ALONE + "an ICMP error came back through a hairpin"),
    "nat_echo_survived": ("ratio", ALONE + "an echo's mapping outlived an ICMP error"),
    "nat_echo_refreshed": ("ratio", ALONE + "ICMP errors kept an echo's mapping alive", True),
    "nat_crowd_refused": ("ratio", "share of 1200 flows to one host that got no mapping", True),
    "nat_crowd_told": ("ratio", ALONE + "a client without a mapping was told"),
    "nat_once_evicted": ("ratio", ALONE + "an unanswered mapping ended to make room", True),
    "nat_answered_evicted": ("ratio", ALONE + "an answered mapping ended to make room", True),
    "nat_port_rested": ("ratio", ALONE + "a port that was another's just before was not given"),
    "nat_echo": ("ratio", ALONE + "an echo request was answered"),
    "nat_tcp_reused_port": ("ratio", ALONE + "TCP to another port of a host kept its mapping"),
    "nat_tcp_reused_host": ("ratio", ALONE + "TCP to another host kept its mapping"),
    "nat_tcp_reused_rival": ("ratio", ALONE + "it did so where another client had the port (TCP)"),
    "nat_tcp_shared": ("ratio", ALONE + "two clients had the same port of TCP at once", True),
    "nat_tcp_from_port": ("ratio", ALONE + "another port of the host asked was let in (TCP)"),
    "nat_tcp_from_host": ("ratio", ALONE + "another host than the one asked was let in (TCP)"),
    "nat_tcp_crossed": ("ratio", ALONE + "two opening segments that crossed came through"),
    "nat_tcp_silent": ("ratio", ALONE + "an unasked opening segment had no answer for 6 s"),
    "nat_tcp_hairpin": ("ratio", ALONE + "a client reached another by its outside address (TCP)"),
    "nat_tcp_hairpin_outside": ("ratio", ALONE + "it then came from its own outside (TCP)"),
    "nat_tcp_error_in": ("ratio", ALONE + "an ICMP error about TCP came to the client"),
    "nat_tcp_error_survived": ("ratio", ALONE + "TCP's mapping outlived an ICMP error"),
    "nat_refreshed": ("ratio", ALONE + "packets from inside kept a mapping alive"),
    "nat_udp_once_ns": ("ns", "time that UDP's mapping was alive after one packet"),
    "nat_udp_answered_ns": ("ns", "time that UDP's mapping was alive after an answer"),
    "nat_udp_stream_ns": (
        "ns",
        "time that UDP's mapping was alive after two seconds both ways",
    ),
    "nat_tcp_opening_ns": ("ns", "time that TCP's mapping was alive after its first segment"),
    "nat_tcp_open_ns": ("ns", "time that an open TCP connection's mapping was alive"),
    "nat_tcp_half_ns": ("ns", "time that a half-closed TCP connection's mapping was alive"),
    "nat_tcp_reset_ns": ("ns", "time that TCP's mapping was alive after a reset"),
    "nat_echo_ns": ("ns", "time that the mapping of an echo request was alive"),
}
