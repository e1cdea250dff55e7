# SPDX-License-Identifier: Apache-2.0
"""The readings of a gateway's own sensors: temperature, power, clock, throttling.

All of it from sysfs, by the shell loop; a box that has none of it has no values.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from gatemark.node.quoted import literal
from gatemark.node.reader import reader
from gatemark.probe.loop import Sample

# Where the shell is to look for them.
FILES: Final = literal(
    "/sys/class/thermal/thermal_zone*/temp "  # 1/1000 degree Celsius
    "/sys/class/hwmon/hwmon*/temp*_input "  # the same (Documentation/hwmon/sysfs-interface.rst)
    "/sys/class/hwmon/hwmon*/power*_input "  # microwatts
    "/sys/class/hwmon/hwmon*/power*_average "
    "/sys/class/powercap/intel-rapl:?/name "  # one for each package, and perhaps psys
    "/sys/class/powercap/intel-rapl:?/energy_uj "  # for root alone since Linux 5.10
    "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq "  # kHz
    "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count"
)
PATTERNS: Final = ("^-?[0-9]+$", "^package")
SANE_C: Final = (-40, 150)  # what is beyond is a sensor that is not there

TEMPERATURE = re.compile(r"/(temp|temp\d+_input)$")
HWMON_POWER = re.compile(r"/power\d+_(input|average)$")
ENERGY = re.compile(r"^(/sys/class/powercap/[^/]+)/energy_uj$")
CLOCK = re.compile(r"/scaling_cur_freq$")
THROTTLE = re.compile(r"/core_throttle_count$")


@dataclass(frozen=True, slots=True)
class Sensed:
    """A reading at one time; None: there is no such sensor."""

    t_ns: int
    temperature_c: float | None  # the hottest
    clock_mhz: float | None  # of the fastest processor
    throttled: int | None  # how often, since it started, over all processors
    watts: float | None  # hwmon's, the largest of its meters
    energy_j: float | None  # RAPL: of all packages since some time


@reader("its sensors")
def sensed(samples: Sequence[Sample]) -> list[Sensed]:
    """Return the sensors' readings, sample by sample."""
    return [_sensed(sample) for sample in samples]


def _sensed(sample: Sample) -> Sensed:
    low, high = SANE_C
    degrees = [t for value in _numbers(sample, TEMPERATURE) if low <= (t := value / 1000) <= high]
    packages = {
        file.rpartition("/")[0] for file, lines in sample.lines.items() if lines[0][:7] == "package"
    }
    energy = [
        int(lines[0])
        for file, lines in sample.lines.items()
        if (of := ENERGY.match(file)) and of[1] in packages
    ]
    clocks, throttles = _numbers(sample, CLOCK), _numbers(sample, THROTTLE)
    return Sensed(
        t_ns=sample.t_ns,
        temperature_c=max(degrees, default=None),
        clock_mhz=max(clocks) / 1000 if clocks else None,
        throttled=sum(throttles) if throttles else None,
        watts=_most(_numbers(sample, HWMON_POWER)),
        energy_j=sum(energy) / 1e6 if energy else None,
    )


def _numbers(sample: Sample, named: re.Pattern[str]) -> list[int]:
    return [int(lines[0]) for file, lines in sample.lines.items() if named.search(file)]


def _most(microwatts: Sequence[int]) -> float | None:
    return max(microwatts) / 1e6 if microwatts else None


def own_watts(read: Sequence[Sensed]) -> tuple[str, list[tuple[int, float]]]:
    """The gateway's own meter, and what it read: `rapl` before `hwmon`; "" without any.

    RAPL counts energy, so each reading is the mean since the one before it.
    """
    energy = [(r.t_ns, r.energy_j) for r in read if r.energy_j is not None]
    rapl = [
        (t1, (e1 - e0) * 1e9 / (t1 - t0))
        for (t0, e0), (t1, e1) in pairwise(energy)
        if t1 > t0 and e1 >= e0  # it wraps once in minutes to hours
    ]
    if rapl:
        return "rapl", rapl
    hwmon = [(r.t_ns, r.watts) for r in read if r.watts is not None]
    return ("hwmon", hwmon) if hwmon else ("", [])


def column(read: Sequence[Sensed], of: Callable[[Sensed], float | None]) -> list[float]:
    """One sensor over time, without the gaps."""
    return [value for reading in read if (value := of(reading)) is not None]
