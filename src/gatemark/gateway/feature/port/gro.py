# SPDX-License-Identifier: Apache-2.0
"""The feature `gro:HOW`: which packets the test ports merge as they receive them.

    off    none (without GRO)
    on     segments of TCP
    udp    datagrams of a UDP flow too, as one long packet (rx-udp-gro-forwarding, Linux 5.12)
    list   packets of a flow as a list, each with its own header (rx-gro-list, Linux 5.6)

What is merged crosses the kernel once, and is cut again before it leaves: each packet on the wire
stays one. The built-in lab takes `list` alone: its ports forward by GRO's own thread, which merges
no other way there (station/napi.py). A veth hands a list over uncut, so that is switched off.

Sources: ethtool(8); Documentation/networking/segmentation-offloads.rst.
"""

import re
from collections.abc import Mapping
from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import Script, joined, shell
from gatemark.node.reader import reader
from gatemark.node.shell import Here

GRO: Final = "generic-receive-offload"
LIST, FORWARDED, UNCUT = "rx-gro-list", "rx-udp-gro-forwarding", "tx-gso-list"
WANTED: Final[dict[str, dict[str, str]]] = {
    "off": {GRO: "off", LIST: "off", FORWARDED: "off"},
    "on": {GRO: "on", LIST: "off", FORWARDED: "off"},
    "udp": {GRO: "on", LIST: "off", FORWARDED: "on"},
    "list": {GRO: "on", LIST: "on", FORWARDED: "off", UNCUT: "off"},
}
ROW: Final = re.compile(r"^\s*([a-z0-9-]+): (on|off)( \[fixed\])?", re.MULTILINE)
SET: Final = "ethtool -K {port} {words}"
ITSELF: Final = "the lab's ports forward by a thread that merges in no other way: gro:list"


async def apply(asked: Asked) -> None:
    """Set it at each port. Raises UnavailableError where a port cannot merge so."""
    (how,) = asked.arguments
    if isinstance(asked.gateway.node, Here) and how != "list":
        raise UnavailableError(ITSELF)
    for port in asked.ports:
        was = switches(await asked.gateway.run("ethtool", "-k", port))
        wanted = differing(was, WANTED[how], port)
        if wanted:
            before = {name: was[name] for name in wanted}
            await asked.changes.attempt(_set(port, wanted), undo=_set(port, before))


def differing(was: Mapping[str, str], wanted: Mapping[str, str], port: str) -> dict[str, str]:
    """Return what is to be set. Raises UnavailableError where it cannot be switched on."""
    for name, value in wanted.items():
        if value == "on" and was.get(name, "") not in ("on", "off"):
            raise UnavailableError(f"{port} has no {name}")
    return {name: value for name, value in wanted.items() if was.get(name, value) != value}


@reader("the offloads of its ports")
def switches(text: str) -> dict[str, str]:
    """Return what ethtool lists: on, off, or of what never changes `on [fixed]`."""
    return {name: value + (fixed or "") for name, value, fixed in ROW.findall(text)}


def _set(port: str, values: Mapping[str, str]) -> Script:
    ordered = sorted(values, key=lambda name: (name != GRO, name))
    return joined(shell(SET, port=port, words=[name, values[name]]) for name in ordered)
