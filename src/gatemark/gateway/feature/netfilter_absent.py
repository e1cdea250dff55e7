# SPDX-License-Identifier: Apache-2.0
"""The feature `netfilter-absent`: nothing is registered at the hooks of this path.

It takes nothing away that somebody else made; it looks, and says what there is. Connection tracking
that is loaded and unused is unloaded on a gateway with a kernel of its own. The hooks themselves
stay compiled in: no stock kernel is built without netfilter.

What is looked at is everything that registers hooks and shows itself: `nft list hooks` (Linux 5.14,
of every kind), chains of nft, tables of xtables.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway.feature.asked import Asked
from gatemark.node.ask import ask
from gatemark.node.quoted import literals, shell
from gatemark.node.reader import reader
from gatemark.node.shell import Here

# What a packet of each path passes: families of nft, and hooks of these.
IP: Final = ("ip", "ip6", "inet", "netdev")
PASSED: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "switch": (("bridge", "netdev"), ("prerouting", "forward", "postrouting")),
    "route": (IP, ("prerouting", "forward", "postrouting")),
    "endpoint": (IP, ("prerouting", "input", "output", "postrouting")),
}
DEVICE: Final = ("ingress", "egress")  # of each family

LOOK: Final = literals(
    {
        "hooks": "nft list hooks",
        "chains": "nft list chains",
        "tables": "cat /proc/net/ip_tables_names /proc/net/ip6_tables_names",
        "modules": "cat /proc/modules",
    }
)
TRACKING: Final = ("nf_conntrack", "nf_defrag_ipv4", "nf_defrag_ipv6")

FAMILY: Final = re.compile(r"^\s*(?:family|table) (\w+)\b")
HOOK: Final = re.compile(r"^\s*hook (\w+)")
ENTRY: Final = re.compile(r"^\s*[+-]?\d+ (.+?)\s*$")
CHAIN: Final = re.compile(r"^\s*chain (\S+)")
BASE: Final = re.compile(r"^\s*type \w+ hook (\w+)")


async def apply(asked: Asked) -> None:
    """Raise UnavailableError unless nothing is there; unload tracking where it is a module."""
    listed = await ask(asked.gateway.node, LOOK)
    if there := [*registered(listed, asked.path)]:
        raise UnavailableError(f"netfilter is at work: {', '.join(there)}")
    if isinstance(asked.gateway.node, Here):
        return  # its kernel is this machine's, whose modules are not ours to unload
    for name in unloading(listed["modules"]):
        undo = shell("modprobe -q {name}", name=name)
        await asked.changes.attempt(shell("rmmod {name}", name=name), undo=undo)


def registered(listed: Mapping[str, str], path: str) -> Iterator[str]:
    """Yield the hooks of a path that have a function, by the gateway's answer."""
    families, passed = PASSED[path]
    yield from _hooks(listed["hooks"], families, (*passed, *DEVICE))
    yield from _chains(listed["chains"], families, (*passed, *DEVICE))
    if "ip" in families:
        for name in dict.fromkeys(listed["tables"].split()):
            yield f"table {name} of xtables"


def _hooks(text: str, families: Iterable[str], passed: Iterable[str]) -> Iterator[str]:
    family = hook = ""
    for line in text.splitlines():
        if match := FAMILY.match(line):
            family, hook = match[1], ""
        elif match := HOOK.match(line):
            hook = match[1]
        elif (match := ENTRY.match(line)) and family in families and hook in passed:
            yield f"{match[1]} at {family} {hook}"


def _chains(text: str, families: Iterable[str], passed: Iterable[str]) -> Iterator[str]:
    family = chain = ""
    for line in text.splitlines():
        if match := FAMILY.match(line):
            family = match[1]
        elif match := CHAIN.match(line):
            chain = match[1]
        elif (match := BASE.match(line)) and family in families and match[1] in passed:
            yield f"chain {chain} of nft at {family} {match[1]}"


@reader("the list of its modules")
def unloading(modules: str) -> list[str]:
    """Connection tracking and all that needs it, in the order in which they can be unloaded.

    `modules` is /proc/modules: name, size, uses, and the names of those that use it.
    """
    users = {}
    for line in modules.splitlines():
        name, _, _, used_by = line.split()[:4]
        users[name] = [user for user in used_by.split(",") if user not in ("", "-", "[permanent]")]
    order: list[str] = []

    def take(name: str) -> None:
        for user in users.get(name, ()):
            take(user)
        if name in users and name not in order:
            order.append(name)

    for name in TRACKING:
        take(name)
    return order
