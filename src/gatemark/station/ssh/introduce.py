# SPDX-License-Identifier: Apache-2.0
"""Neighbours that a box is told of, by its own shell: no ARP, no neighbour discovery in a trial.

The loop is the device's: a command line has no room for hundreds of addresses. One `ip` takes them
all where it knows -batch (busybox's does not): a slow device needs 40 ms to start a program.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gatemark.node.quoted import Script, joined, literal, shell
from gatemark.station.wiring import ADDRESS, Port

FEED: Final = literal("""feed() {
if ip -batch /dev/null 2> /dev/null; then ip -force -batch -
else while read -r line; do ip $line; done; fi; }""")
FED: Final = "{feed}; {{ {lines}; }} | feed > /dev/null 2>&1 || true"
LOOP: Final = "n={first}; while [ $n -le {last} ]; do printf {line} $n; n=$((n + 1)); done"


@dataclass(frozen=True, slots=True)
class Behind:
    """A host behind a port of the gateway, and the host numbers that it answers for besides."""

    gate: Port
    host: Port
    first: int
    last: int

    def command(self, verb: str, tail: str) -> Script:
        """Shell that prints a line of `ip neigh VERB` for each address."""
        parts = []
        for family in ADDRESS["lan0"]:
            network = str(self.gate.interface(family).network.network_address)
            each = f"{network}%x" if family == "ipv6" else f"{network.rpartition('.')[0]}.%d"
            own, line = self.host.address(family), f"neigh {verb} %s dev {self.gate.device}{tail}\n"
            parts.append(shell("printf %s {line}", line=line % own))
            parts.append(shell(LOOP, first=self.first, last=self.last, line=line % each))
        return joined(parts, by="; ")

    def introduced(self) -> Script:
        """Shell that prints what makes them known."""
        return self.command("replace", f" lladdr {self.host.mac} nud permanent")

    def forgotten(self) -> Script:
        """Shell that prints what makes them unknown."""
        return self.command("del", "")


def introduce(behind: Iterable[Behind]) -> tuple[Script, Script]:
    """What a gateway's shell runs to know them, and to forget them.

    Where its `ip` knows no neighbours the gateway asks for the hosts, and the others stay unknown.
    """
    all_of = list(behind)
    known = joined((behind.introduced() for behind in all_of), by="; ")
    unknown = joined((behind.forgotten() for behind in all_of), by="; ")
    return shell(FED, feed=FEED, lines=known), shell(FED, feed=FEED, lines=unknown)
