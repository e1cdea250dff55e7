# SPDX-License-Identifier: Apache-2.0
"""Before each trial: is every test port still as the measurement needs it?"""

import re
from collections.abc import Mapping

from gatemark.error import StationError
from gatemark.node.inside.door import Door
from gatemark.node.quoted import joined, literal, sh, shell
from gatemark.node.reader import reader
from gatemark.node.shell import Node, door
from gatemark.node.shield import together

# `ethtool -k` names; a merged or cut packet would not be one wire packet in one skb.
OFF = ("tcp-segmentation-offload", "generic-segmentation-offload")
MARK = "@port"  # in front of each port's answers; `ip` says "port" of a bridged one itself
GRO = "generic-receive-offload"
GRO_MOST = re.compile(r"gro_max_size (\d+)")
# How large a packet GRO makes matters only where it is on.
LOOK = f"""
echo {MARK} {{device}}; seen=$(ethtool -k {{device}}); echo "$seen"
case $seen in *'{GRO}: on'*) ip -d link show dev {{device}} ;; esac"""


async def check_ports(ports: Mapping[str, Node]) -> None:
    """Raise StationError unless segmentation and aggregation are off on each of these ports."""
    nodes = dict.fromkeys(ports.values())
    await together(
        *(_check_node(node, [port for port, at in ports.items() if at == node]) for node in nodes)
    )


async def _check_node(node: Node, devices: list[str]) -> None:
    near = door(node)
    looked = _looked(near, devices) if near else await _asked(node, devices)
    for device, (words, gro_most) in looked.items():
        if fault := _fault(words, gro_most):
            raise StationError(f"{node.name}: {device}: {fault}; take the lab down and up again")


Look = tuple[dict[str, str], int]  # what ethtool says is on, by its long names; gro_max_size


def _looked(near: Door, devices: list[str]) -> dict[str, Look]:
    on = {
        device: {name: "on" for name, is_on in near.offloads(device).items() if is_on}
        for device in devices
    }
    merging = [device for device, words in on.items() if GRO in words]
    links = near.links() if merging else {}
    most = {device: link.gro_most for device, link in links.items()}
    return {device: (words, most.get(device, 0)) for device, words in on.items()}


async def _asked(node: Node, devices: list[str]) -> dict[str, Look]:
    looks = (shell(LOOK, device=device) for device in devices)
    text = await node.run(*sh(joined((literal("set -e"), *looks))))
    parts = (part.partition("\n") for part in text.split(f"{MARK} ")[1:])
    return {device: _read(answers) for device, _, answers in parts}


@reader("the settings of its ports")
def _read(text: str) -> Look:
    words = dict(line.strip().partition(": ")[::2] for line in text.splitlines() if ": " in line)
    most = GRO_MOST.search(text)
    return words, int(most[1]) if most else 0


def _fault(words: dict[str, str], gro_most: int) -> str:
    """Return the fault of a port."""
    for feature in OFF:
        if not words.get(feature, "off").startswith("off"):
            return f"{feature} is on, so a packet on it may stand for many"
    if words.get(GRO, "off").startswith("on") and gro_most != 1:
        return "GRO may merge packets (gro_max_size is not 1)"
    return ""
