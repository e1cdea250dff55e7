# SPDX-License-Identifier: Apache-2.0
"""Which path a gateway is on that is taken as it is: read from its settings, nothing changed."""

import re
from collections.abc import Mapping

from gatemark.station.wiring import Gateway

# A rule that changes a packet's source on its way out, as nft and iptables-save write it. fw4 and
# iptables name devices or zones in many ways, so any such rule counts.
TRANSLATES = re.compile(r"\bmasquerade\b|\bsnat (ip6? )?to\b|-j (MASQUERADE|SNAT)\b")
MASTER = re.compile(r"\bmaster (\S+)")


def path_of(gateway: Gateway, settings: Mapping[str, str]) -> str:
    """`nat`, `route`, `switch` (both LAN ports in one bridge, no WAN port), or nothing."""
    routes = settings.get("forwarding", "").split()[:1] == ["1"]
    if routes and {"gw0", "gw1"} <= gateway.devices.keys():
        rules = settings.get("ruleset", "") + settings.get("iptables", "")
        return "nat" if TRANSLATES.search(rules) else "route"
    if {"gw0", "gw2"} <= gateway.devices.keys():
        above = [_master(settings, gateway.devices[role]) for role in ("gw0", "gw2")]
        return "switch" if above[0] and above[0] == above[1] else ""
    return ""


def _master(settings: Mapping[str, str], device: str) -> str:
    for line in settings.get("interfaces", "").splitlines():
        if line.partition(": ")[2].startswith((f"{device}:", f"{device}@")):
            match = MASTER.search(line)
            return match[1] if match else ""
    return ""
