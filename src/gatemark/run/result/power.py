# SPDX-License-Identifier: Apache-2.0
"""What a gateway draws and how warm it gets: from the probes' readings to values and evidence."""

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from gatemark.probe.registry import Seen
from gatemark.probe.sensor import Sensed, column
from gatemark.store.series import Series

SENSORS: Mapping[str, Callable[[Sensed], float | None]] = {
    "temperature_c": lambda one: one.temperature_c,
    "clock_mhz": lambda one: one.clock_mhz,
}

Sent = tuple[int, int]  # from when until when was sent, ns


def values(seen: Seen, sent: Sent, found: Mapping[str, float]) -> dict[str, float]:
    """Watts idle, under load and for each Gbit/s, and the hottest sensor under load."""
    t0_ns, t1_ns = sent
    idle = [watts for at, watts in seen.watts if at < t0_ns]
    load = [watts for at, watts in seen.watts if t0_ns <= at <= t1_ns]
    told = {"power_idle_w": fmean(idle)} if idle else {}
    if load:
        told["power_w"] = fmean(load)
        carried_bps = found.get("goodput_bps") or found.get("received_l2_bps")
        if carried_bps:
            told["power_per_gbit_j"] = told["power_w"] / (carried_bps / 1e9)
    if warm := column(_under_load(seen.sensed, sent), lambda one: one.temperature_c):
        told["temperature_c"] = max(warm)
    return told


def thermal(sensed: Sequence[Sensed], sent: Sent) -> dict[str, float]:
    """The processor's clock under load, first and lowest, and how often it was throttled."""
    under_load = _under_load(sensed, sent)
    told: dict[str, float] = {}
    if clocks := column(under_load, lambda one: one.clock_mhz):
        told |= {"clock_start_mhz": clocks[0], "clock_low_mhz": min(clocks)}
    if counts := column(sensed, lambda one: one.throttled):
        told["throttled"] = counts[-1] - counts[0]
    return told


def series(seen: Seen) -> Series:
    """Watts, degrees and clock over time."""
    found: dict[str, tuple[Sequence[int], Sequence[float]]] = {}
    if seen.watts:
        times, watts = zip(*seen.watts, strict=True)
        found[f"power.{seen.meter}.watts"] = times, watts
    for name, of in SENSORS.items():
        told = [(one.t_ns, value) for one in seen.sensed if (value := of(one)) is not None]
        if told:
            times, readings = zip(*told, strict=True)
            found[f"inside.sensor.{name}"] = times, readings
    return found


def _under_load(sensed: Sequence[Sensed], sent: Sent) -> list[Sensed]:
    return [one for one in sensed if sent[0] <= one.t_ns <= sent[1]]
