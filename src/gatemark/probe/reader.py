# SPDX-License-Identifier: Apache-2.0
"""Read a gateway over time for all probes together: the agent's `watch`, or one shell loop."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from gatemark.error import UnavailableError
from gatemark.node.agent import Agent
from gatemark.probe import sensor
from gatemark.probe.column import Source, columns, patterns
from gatemark.probe.loop import Loop
from gatemark.probe.probe import Place, Probe
from gatemark.probe.sensor import Sensed, sensed
from gatemark.probe.window import Report

INTERVAL_MS = 100
SHARE_PPM = 5000  # of a CPU that the agent may use: a slow gateway is looked at less often
VALUED_SHARE_PPM = 200_000  # the same where what it reads is the value that is looked for
SAMPLES = 4  # of a trial at least, whatever they cost
LONGEST_MS = 60_000  # between two samples that the agent takes (agent/PROTOCOL.md)
BEFORE_S = 13  # watched at most before and after the load: samples that there must be room for


@dataclass(frozen=True, slots=True)
class Read:
    """The readings over time."""

    watched: Report = field(default_factory=dict)  # columns, as the agent's `watch` gives them
    sensed: list[Sensed] = field(default_factory=list)


def sampling(longest_s: float) -> dict[str, int]:
    """Return the sampling of the agent's `watch` for a trial that takes so long at most."""
    longest_ms = max(INTERVAL_MS, round(longest_s * 1000 / SAMPLES))
    return {
        "interval_ms": INTERVAL_MS,
        "longest_ms": min(LONGEST_MS, longest_ms),
        "samples": round((longest_s + BEFORE_S) * 1000 / INTERVAL_MS),
    }


class Reader:
    """The columns and sensors of one trial's probes. `valued`: they are what the trial is for."""

    def __init__(self, place: Place, probes: Iterable[Probe], *, valued: bool = False) -> None:
        self._place = place
        self._share_ppm = VALUED_SHARE_PPM if valued else SHARE_PPM
        probes = list(probes)
        self._sources = [probe.column for probe in probes if probe.column]
        self._senses = any(probe.sensors for probe in probes)
        self._agent: Agent | None = None
        self._loop: Loop | None = None
        self._looped: list[Source] = []  # that the loop reads

    async def start(self) -> None:
        """Begin to read: by the agent, where one may run and is built for this processor."""
        self._looped = [] if await self._launched() else self._sources
        gateway = self._place.gateway
        files = [source.file for source in self._looped]
        wanted = patterns(self._looped, gateway.devices.values())
        if self._senses:
            files, wanted = [*files, sensor.FILES], [*wanted, *sensor.PATTERNS]
        if files:
            self._loop = Loop(gateway.node, files, wanted)
            await self._loop.start()

    async def stop(self) -> Read:
        """End the reading; returns what was read."""
        watched: Report = {}
        if self._agent:
            watched = await self._agent.close()  # by this machine's clock already
        if not self._loop:
            return Read(watched)
        samples = await self._loop.stop()
        if self._looped:
            watched = columns(samples, self._looped)
        return Read(watched, sensed(samples) if self._senses else [])

    async def abort(self) -> None:
        """End the reading, whatever it is doing."""
        if self._agent:
            await self._agent.abort()
        if self._loop:
            await self._loop.abort()

    async def _launched(self) -> bool:
        place, gateway = self._place, self._place.gateway
        if not self._sources or not gateway.agent:
            return not self._sources
        request = sampling(place.longest_s) | {
            "share_ppm": self._share_ppm,
            "what": [source.what for source in self._sources],
            "devices": list(gateway.devices.values()),
            "cpu": place.cpu,
        }
        for source in self._sources:
            request |= source.asks
        try:
            self._agent = await Agent.launch(gateway.node, "watch", request)
        except UnavailableError:
            return False
        await self._agent.start()
        return True
