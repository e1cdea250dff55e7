# SPDX-License-Identifier: Apache-2.0
"""Who it is that routes, bridges or translates, in words."""

from collections.abc import Sequence
from typing import Final

from gatemark.store.record import Definition
from gatemark.store.run import Run

DOES: Final = {"switch": "bridge", "route": "route", "nat": "NAT", "hairpin": "hairpin"}


def kernel_of(run: Run) -> str:
    """Who routes: in the built-in lab this machine's kernel does."""
    if run.station.kind == "netns":
        return "This machine's kernel"
    return "This virtual gateway" if run.station.virtual else "This gateway"


def gateway(run: Run, definitions: Sequence[Definition]) -> str:
    """The one that stands between LAN and WAN, as sentences begin with it."""
    if any(definition.slow_to_pps for definition in definitions):
        return "Slowed to a home router's speed, the lab gateway"
    if run.station.virtual:
        return "A namespace gateway" if run.station.kind == "netns" else "A virtual gateway"
    return "This gateway"


def does(setup: str) -> str:
    """A setup as a verb: `NAT + filter:100`."""
    path, *features = setup.split(" + ")
    return " + ".join((DOES.get(path, path), *features))
