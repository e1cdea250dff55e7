# SPDX-License-Identifier: Apache-2.0
"""Probe `power`: what the gateway draws at rest and under load, by a meter or its own sensors."""

import asyncio
from statistics import fmean
from typing import Final

from gatemark.probe.probe import Outcome, Place, Probe, Seen, Sent
from gatemark.probe.sensor import own_watts
from gatemark.station.power.meter import Reading
from gatemark.store.series import Series

IDLE_S = 3.0  # of quiet before the load: plugs measure about once a second


class Power:
    """The meter of the station's file; without one, the sensors are read anyway."""

    def __init__(self, place: Place) -> None:
        self._meter = place.gateway.power

    async def start(self) -> None:
        """Read from some time at rest on."""
        if self._meter:
            await asyncio.to_thread(self._meter.start)
        await asyncio.sleep(IDLE_S)

    async def stop(self) -> tuple[str, list[Reading]]:
        """The meter's name, and its watts; "" without one."""
        if not self._meter:
            return "", []
        return self._meter.name, await asyncio.to_thread(self._meter.stop)

    async def abort(self) -> None:
        """End the reading."""
        if self._meter:
            await asyncio.to_thread(self._meter.stop)


def watts(seen: Seen) -> tuple[str, list[Reading]]:
    """The source and its readings: the meter before the gateway's own sensors."""
    meter, read = seen.own["power"]
    return (meter, read) if meter else own_watts(seen.sensed)


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """Watts idle, under load and for each Gbit/s."""
    meter, read = watts(seen)
    idle = [power_w for at, power_w in read if at < sent.t0_ns]
    load = [power_w for at, power_w in read if sent.t0_ns <= at <= sent.t1_ns]
    values = {"power_idle_w": fmean(idle)} if idle else {}
    if load:
        values["power_w"] = fmean(load)
        carried_bps = sent.values.get("goodput_bps") or sent.values.get("received_l2_bps")
        if carried_bps:
            values["power_per_gbit_j"] = values["power_w"] / (carried_bps / 1e9)
    return Outcome(values, {"meter": meter})


def series(seen: Seen) -> Series:
    """Watts over time."""
    meter, read = watts(seen)
    return {f"power.{meter}.watts": ([at for at, _ in read], [w for _, w in read])} if read else {}


PROBE: Final = Probe(outcome, series, sensors=True, watcher=Power)
