# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's configuration with the options that hold no secret: all others are named, not shown."""

import re
from collections.abc import Iterator
from typing import Final

from gatemark.node.quoted import literal
from gatemark.run.handout.redact import Redaction

FILES: Final = ("network", "firewall", "dhcp", "wireless", "dropbear", "sqm", "system")
SHOW: Final = literal(
    "command -v uci > /dev/null || exit; "
    f"for c in {' '.join(FILES)}; do uci -q -X show $c; done; uci changes"
)
SHOWN: Final = {
    "network": "proto device ifname type ports vlan vid name ipaddr netmask ip6addr ip6assign mtu "
    "packet_steering steering_flows igmp_snooping stp peerdns auto disabled delegate",
    "firewall": "network input output forward masq masq6 mtu_fix src dest proto target family "
    "icmp_type limit enabled syn_flood synflood_protect drop_invalid flow_offloading "
    "flow_offloading_hw src_port dest_port auto_helper helper tcp_syncookies tcp_window_scaling",
    "dhcp": "interface ignore start limit leasetime dhcpv4 dhcpv6 ra",
    "wireless": "type band channel htmode disabled mode network encryption",
    "dropbear": "Port PasswordAuth Interface enable",
    "sqm": "enabled interface download upload qdisc script linklayer overhead ingress_ecn "
    "egress_ecn qdisc_advanced qdisc_really_really_advanced",
    "system": "log_size zonename",
}
OPTION: Final = re.compile(r"^(-?(\w+)\.[^.=]+)\.(\w+)(\+?=)(.*)$")
SECTION: Final = re.compile(r"^-?\w+\.[^.=]+=[\w-]+$")
ZONE_NAME: Final = re.compile(r"^'[\w-]{1,11}'$")  # the longest that fw4 takes


def shown(text: str, redaction: Redaction) -> str:
    """What `SHOW` printed, a line each, redacted."""
    return "\n".join(_lines(text.splitlines(), redaction))


def _lines(lines: list[str], redaction: Redaction) -> Iterator[str]:
    zones = {line.partition("=")[0] for line in lines if line.endswith("=zone")}
    for line in lines:
        match = OPTION.match(line)
        if SECTION.match(line):
            yield redaction.text(line)
        elif match:
            section, file, option, is_, value = match.groups()
            kept = option in SHOWN.get(file, "").split()
            kept |= option == "name" and section in zones and bool(ZONE_NAME.match(value))
            kept_value = redaction.text(value) if kept else redaction.leave_out()
            yield f"{redaction.text(section)}.{option}{is_}{kept_value}"
