# SPDX-License-Identifier: Apache-2.0
"""The feature `filter:N:BY`: N destination ports that are not let through; no test packet has one.

    nft      N rules, one after the other, each one load and one comparison for UDP and TCP
    set      one rule that looks the port up in a set of N
    map      the same in a verdict map of N
    legacy   N rules of iptables-legacy, each for UDP; a packet of TCP fails at its protocol

Sets and maps have protocol and port as their key: of a port alone the kernel makes a bitmap
(net/netfilter/nft_set_bitmap.c), which is no hash and no set that anybody filters by. The ports
begin where no flow of ours has one (station/wiring.py).
"""

from collections.abc import Callable, Mapping
from typing import Final

from gatemark.gateway import table, xtables
from gatemark.gateway.feature.asked import Asked

NAME: Final = "gatemark_filter"
FIRST_PORT: Final = 40_000
KEY: Final = "inet_proto . inet_service"


async def apply(asked: Asked) -> None:
    """Add them at the hooks of this path."""
    count, by = asked.arguments
    ports = range(FIRST_PORT, FIRST_PORT + int(count))
    if by == "legacy":
        rules = [f"-p udp --dport {port} -j DROP" for port in ports]
        await xtables.add(asked.gateway, asked.changes, asked.path, rules)
    else:
        await table.add(asked.changes, NAME, BY[by](asked.path, ports))


def _rules(path: str, ports: range) -> str:
    return table.filter_chains(path, "".join(f"    th dport {port} drop\n" for port in ports))


def _set(path: str, ports: range) -> str:
    elements = ", ".join(f"udp . {port}" for port in ports)
    declared = f"  set ports {{ type {KEY}; size {len(ports)}; elements = {{ {elements} }}; }}\n"
    return declared + table.filter_chains(path, "    meta l4proto . th dport @ports drop\n")


def _map(path: str, ports: range) -> str:
    elements = ", ".join(f"udp . {port} : drop" for port in ports)
    declared = (
        f"  map ports {{ type {KEY} : verdict; size {len(ports)}; elements = {{ {elements} }}; }}\n"
    )
    return declared + table.filter_chains(path, "    meta l4proto . th dport vmap @ports\n")


BY: Final[Mapping[str, Callable[[str, range], str]]] = {"nft": _rules, "set": _set, "map": _map}
