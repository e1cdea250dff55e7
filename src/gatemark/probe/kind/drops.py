# SPDX-License-Identifier: Apache-2.0
"""Probe `drops`: what the gateway dropped, by cause, read before the load and after the drain.

It runs in every pass: nothing of it runs while packets are sent.
"""

import time
from asyncio import sleep
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gatemark.node.shell import Node
from gatemark.probe.drop import reading
from gatemark.probe.drop.reading import Reading, lost, risen
from gatemark.probe.probe import Kept, Outcome, Place, Probe, Seen, Sent
from gatemark.station.wiring import NAMES
from gatemark.store.drops import Drops

REST_S: Final = 1.0  # a box has traffic of its own: so long is it looked at before
KEPT_S: Final = 60.0  # and for so long not again, in trials of the same arm
NAME: Final = "drops"  # of what is kept


@dataclass(frozen=True, slots=True)
class Readings:
    """At the begin and the end of a rest, which are one without a rest; before the load, after."""

    rest: tuple[Reading, Reading]
    before: Reading
    after: Reading
    mtu: Mapping[str, int] = field(default_factory=dict)  # of the ports, as people call them


class Watch:
    """The readings of one trial. `kept`: of the arm's trials before it; None: nothing rests."""

    def __init__(
        self, node: Node, roles: Mapping[str, str], *, is_own: bool, kept: Kept | None
    ) -> None:
        self._node = node
        self._devices = tuple(roles.values())
        self._roles = roles
        self._is_own = is_own
        self._kept = kept
        self._parts = reading.parts(is_own=is_own)
        self._rest: tuple[Reading, Reading] | None = None
        self._before: Reading | None = None

    async def start(self) -> None:
        """Read before the load; a box also a second earlier, unless that is known of the arm."""
        self._before = first = await self._read()
        self._rest = (first, first) if self._kept is None else self._kept.get(NAME)
        if self._rest is None or first.at_s - self._rest[1].at_s > KEPT_S:
            await sleep(REST_S)
            self._before = await self._read()
            self._rest = first, self._before
            if self._kept is not None:
                self._kept[NAME] = self._rest

    async def stop(self) -> Readings:
        """Read after the drain."""
        assert self._rest is not None
        assert self._before is not None
        after = await self._read()
        mtu = {
            NAMES[role]: after.mtu[device]
            for role, device in self._roles.items()
            if role in NAMES and device in after.mtu
        }
        return Readings(self._rest, self._before, after, mtu)

    async def abort(self) -> None:
        """Nothing of it goes on."""

    async def _read(self) -> Reading:
        at_s = time.monotonic()
        text = await reading.read(self._node, self._parts, self._devices)
        return reading.parse(text, at_s, devices=self._devices, is_own=self._is_own)


def watch(place: Place) -> Watch:
    """A gateway that outlives the run is a box in a network, and is watched at rest, too."""
    gateway = place.gateway
    return Watch(
        gateway.node,
        gateway.devices,
        is_own=place.own is None,
        kept=place.kept if gateway.journal else None,
    )


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The counters that rose, and what they rose by at rest."""
    read: Readings = seen.own["drops"]
    is_own = sent.own is None
    rest_s = read.rest[1].at_s - read.rest[0].at_s
    background = lost(risen(*read.rest, is_own=is_own)) / rest_s if rest_s else 0.0
    unread = tuple(f"{name}: {why}" for name, why in sorted(read.after.unread.items()))
    drops = Drops(
        causes=risen(read.before, read.after, is_own=is_own),
        unread=unread,
        background_pps=background,
        lasts_s=read.after.at_s - read.before.at_s,
        mtu=dict(read.mtu),
    )
    return Outcome(evidence={"drops": drops})


PROBE: Final = Probe(outcome, watcher=watch, last=True, every_pass=True)
