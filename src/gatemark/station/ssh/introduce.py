# SPDX-License-Identifier: Apache-2.0
"""Neighbours that a box learns by its own shell: no ARP, no neighbour discovery in a trial."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from gatemark.node.quoted import Script, joined, shell
from gatemark.station.lent.batch import each, fed
from gatemark.station.wiring import ADDRESS, Port

ANYHOW: Final = "{lines} > /dev/null 2>&1 || true"


@dataclass(frozen=True, slots=True)
class Behind:
    """A host behind a port of the gateway, and the host numbers that it answers for besides."""

    gate: Port
    host: Port
    numbers: range

    def command(self, verb: str, tail: str) -> Script:
        """Shell that prints a line of `ip neigh VERB` for each address."""
        line, parts = f"neigh {verb} %s dev {self.gate.device}{tail}", []
        for family in ADDRESS["lan0"]:
            own = line % self.host.address(family) + "\n"
            parts.append(shell("printf %s {own}", own=own))
            parts.append(each(self.host, family, self.numbers, line))
        return joined(parts, by="; ")

    def introduced(self) -> Script:
        """Shell that prints what makes them known."""
        return self.command("replace", f" lladdr {self.host.mac} nud permanent")

    def forgotten(self) -> Script:
        """Shell that prints what makes them unknown."""
        return self.command("del", "")


def introduce(behind: Iterable[Behind]) -> tuple[Script, Script]:
    """Return the scripts by which a gateway's shell knows them, and forgets them.

    Where its `ip` knows no neighbours the gateway asks for the hosts, and the others stay unknown.
    """
    all_of = list(behind)
    known = joined((behind.introduced() for behind in all_of), by="; ")
    unknown = joined((behind.forgotten() for behind in all_of), by="; ")
    return shell(ANYHOW, lines=fed(known)), shell(ANYHOW, lines=fed(unknown))
