# SPDX-License-Identifier: Apache-2.0
"""A switch that swconfig sets: its VLANs as uci has them, and which of its sockets have no link.

The sockets of such a box are ports of the switch and no network devices. The processor is at one
more port, which is tagged: what comes of VLAN 1 is `eth0.1` there, of VLAN 2 `eth0.2`.

    socket  1  2  3  4  5                 config switch_vlan
            |  |  |  |  |                     option vlan  '1'
          +-----------------+                 option ports '0t 2 3 4 5'
          |     switch0     |
          +-----------------+
                  | 0                     eth0.1 in br-lan, eth0.2 WAN
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Final

from gatemark.node import checked
from gatemark.node.quoted import literals
from gatemark.node.reader import reader

QUESTIONS: Final = literals(
    {
        "switch": "swconfig list",
        "vlans": "uci -q -X show network | grep -E '=switch_vlan$|[.](device|vlan|vid|ports)='",
        "unlinked": "for s in $(swconfig list | cut -d' ' -f2); do swconfig dev $s show | "
        'sed -n "s/.*port:\\([0-9]*\\) link:down.*/$s \\1/p"; done',
    }
)
SECTION: Final = re.compile(r"^network\.(\w+)=switch_vlan$", re.MULTILINE)
OPTION: Final = re.compile(r"^network\.(\w+)\.(device|vlan|vid|ports)='([^']*)'$", re.MULTILINE)
PORTS: Final = re.compile(r"\d{1,2}t?( \d{1,2}t?)*")
FIRST: Final = 3  # 1 and 2 are LAN and WAN, also where uci does not say so


@dataclass(frozen=True, slots=True)
class Vlan:
    """A VLAN of a switch, a section `switch_vlan` of uci's."""

    section: str
    switch: str
    place: int  # in the switch's table
    number: int  # what its frames are tagged with
    sockets: tuple[str, ...]  # its ports that are not tagged
    tagged: tuple[str, ...]  # "0t": the processor's, and what else carries several VLANs


@reader("the VLANs of its switch")
def vlans(text: str) -> tuple[Vlan, ...]:
    """Out of uci's sections; one that is written otherwise is left out."""
    options: dict[str, dict[str, str]] = {}
    for section, name, value in OPTION.findall(text):
        options.setdefault(section, {})[name] = " ".join(value.split())
    rows = ((section, options.get(section, {})) for section in SECTION.findall(text))
    return tuple(_vlan(section, row) for section, row in rows if _is_usual(row))


def _is_usual(row: dict[str, str]) -> bool:
    numbers = row.get("vlan", ""), row.get("vid", "0")
    are_numbers = all(map(str.isdecimal, numbers))
    return are_numbers and "device" in row and bool(PORTS.fullmatch(row.get("ports", "")))


def _vlan(section: str, row: dict[str, str]) -> Vlan:
    place, ports = int(row["vlan"]), row["ports"].split()
    return Vlan(
        section,
        checked.device(row["device"]),
        place,
        number=int(row.get("vid", place)),
        sockets=tuple(port for port in ports if not port.endswith("t")),
        tagged=tuple(port for port in ports if port.endswith("t")),
    )


@reader("the links of its switch")
def unlinked(text: str) -> frozenset[tuple[str, str]]:
    """Switch and port of each that has no link."""
    return frozenset((switch, port) for switch, port in map(str.split, text.splitlines()))


def unused(known: Iterable[Vlan]) -> int:
    """A number that no VLAN has, nor a place in the table."""
    taken = {number for vlan in known for number in (vlan.place, vlan.number)}
    return next(number for number in count(FIRST) if number not in taken)
