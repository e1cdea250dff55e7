# SPDX-License-Identifier: Apache-2.0
"""Before each trial: is every test port still as the measurement needs it?"""

from collections.abc import Mapping

from gatemark.error import StationError
from gatemark.node.quoted import joined, literal, sh, shell
from gatemark.node.shell import Node
from gatemark.node.shield import together

# `ethtool -k` names; a merged or cut packet would not be one wire packet in one skb.
OFF = ("tcp-segmentation-offload", "generic-segmentation-offload")
MARK = "@port"  # in front of each port's answers; `ip` says "port" of a bridged one itself
GRO = "generic-receive-offload"
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
    looks = (shell(LOOK, device=device) for device in devices)
    text = await node.run(*sh(joined((literal("set -e"), *looks))))
    for part in text.split(f"{MARK} ")[1:]:
        if fault := _fault(part):
            device = part.split()[0]
            raise StationError(f"{node.name}: {device}: {fault}; take the lab down and up again")


def _fault(text: str) -> str:
    """What is wrong with a port, by what ethtool and ip said of it."""
    words = dict(line.strip().partition(": ")[::2] for line in text.splitlines() if ": " in line)
    for feature in OFF:
        if not words.get(feature, "off").startswith("off"):
            return f"{feature} is on, so a packet on it may stand for many"
    if words.get(GRO, "off").startswith("on") and "gro_max_size 1 " not in text + " ":
        return "GRO may merge packets (gro_max_size is not 1)"
    return ""
