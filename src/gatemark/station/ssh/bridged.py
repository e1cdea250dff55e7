# SPDX-License-Identifier: Apache-2.0
"""VLANs of a bridge that separates them: which of its ports are in which, and tagged or not.

    lan1   lan2   lan3    wan              config bridge-vlan
      |      |      |      | tagged 1          option device 'br-lan'
    +--------------------------+               option vlan   '4'
    |          br-lan          |               list ports    'lan1:u*'
    +--------------------------+               list ports    'lan2:u*'
       br-lan.4 LAN, br-lan.1 WAN

`bridge` shows what is set; OpenWrt has it in a package of its own, and uci says the same there.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from gatemark.node import checked
from gatemark.node.quoted import literals
from gatemark.node.reader import reader

QUESTIONS: Final = literals(
    {
        "bridge_vlans": "bridge -j vlan show",
        "uci_vlans": "uci -q -X show network | grep -E '=bridge-vlan$|[.](vlan|ports)='",
    }
)
SECTION: Final = re.compile(r"^network\.(\w+)=bridge-vlan$", re.MULTILINE)
OPTION: Final = re.compile(r"^network\.(\w+)\.(vlan|ports)=(.*)$", re.MULTILINE)
WORD: Final = re.compile(r"'([^']*)'")
UNTAGGED: Final = "Egress Untagged"
MOST: Final = 200_000  # a few dozen ports that are in every VLAN
TAGGED: Final = "t"  # netifd's flag, behind a port's colon


class Member(NamedTuple):
    """A port of a bridge in one of its VLANs."""

    port: str
    number: int  # of the VLAN
    tagged: bool


def members(by_bridge: str, by_uci: str) -> tuple[Member, ...]:
    """Return all members by what `bridge -j vlan show` or uci says; none where neither does."""
    return tuple(_by_bridge(by_bridge)) or tuple(_by_uci(by_uci))


@reader("the VLANs of its bridge")
def _by_bridge(text: str) -> list[Member]:
    rows = json.loads(text) if text.strip().startswith("[") else []
    every = (
        Member(checked.device(row["ifname"]), number, UNTAGGED not in vlan.get("flags", ()))
        for row in rows
        for vlan in row.get("vlans", ())
        for number in _numbers(vlan)
    )
    members = list(islice(every, MOST + 1))
    if len(members) > MOST:
        raise ValueError(f"more than {MOST} ports in VLANs")
    return members


def _numbers(vlan: Mapping[str, Any]) -> range:
    first = checked.vlan(vlan["vlan"])
    return range(first, checked.vlan(vlan.get("vlanEnd", first)) + 1)


@reader("the VLANs of its bridge")
def _by_uci(text: str) -> list[Member]:
    options: dict[str, dict[str, list[str]]] = {}
    for section, name, value in OPTION.findall(text):
        words = WORD.findall(value) or [value]
        options.setdefault(section, {})[name] = " ".join(words).split()
    sections = (options.get(section, {}) for section in SECTION.findall(text))
    return [member for section in sections for member in _of_section(section)]


def _of_section(section: dict[str, list[str]]) -> Iterator[Member]:
    for number in filter(str.isdecimal, section.get("vlan", [])[:1]):
        for port in section.get("ports", ()):
            name, _, flags = port.partition(":")
            yield Member(checked.device(name), checked.vlan(int(number)), TAGGED in flags)
