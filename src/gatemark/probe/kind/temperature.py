# SPDX-License-Identifier: Apache-2.0
"""Probe `temperature`: how warm the gateway gets, and what its processor does about it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gatemark.probe.probe import Outcome, Probe, Seen, Sent
from gatemark.probe.sensor import Sensed, column
from gatemark.store.series import Series

SENSORS: Mapping[str, Callable[[Sensed], float | None]] = {
    "temperature_c": lambda reading: reading.temperature_c,
    "clock_mhz": lambda reading: reading.clock_mhz,
}


def outcome(seen: Seen, sent: Sent) -> Outcome:
    """The hottest sensor under load; how the clock fell, and how often it was throttled."""
    under_load = [r for r in seen.sensed if sent.t0_ns <= r.t_ns <= sent.t1_ns]
    degrees = column(under_load, SENSORS["temperature_c"])
    thermal: dict[str, float] = {}
    if clocks := column(under_load, SENSORS["clock_mhz"]):
        thermal |= {"clock_start_mhz": clocks[0], "clock_low_mhz": min(clocks)}
    if counts := column(seen.sensed, lambda reading: reading.throttled):
        thermal["throttled"] = counts[-1] - counts[0]
    hottest = {"temperature_c": max(degrees)} if degrees else {}
    return Outcome(hottest, {"thermal": thermal})


def series(seen: Seen) -> Series:
    """Degrees and clock over time."""
    columns: dict[str, tuple[Sequence[int], Sequence[float]]] = {}
    for name, of in SENSORS.items():
        if known := [(r.t_ns, value) for r in seen.sensed if (value := of(r)) is not None]:
            times, readings = zip(*known, strict=True)
            columns[f"inside.sensor.{name}"] = times, readings
    return columns


PROBE: Final = Probe(outcome, series, sensors=True)
