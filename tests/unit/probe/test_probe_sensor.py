# SPDX-License-Identifier: Apache-2.0
"""What sysfs tells of heat, clock and power becomes degrees, MHz and watts."""

import pytest

from gatemark.probe.loop import Sample
from gatemark.probe.sensor import Sensed, own_watts, sensed

S = 1_000_000_000
CPU = "/sys/devices/system/cpu"
RAPL = "/sys/class/powercap"


def sensors(**lines: str) -> Sensed:
    (reading_,) = sensed([Sample(S, {name: [text] for name, text in lines.items()})])
    return reading_


@pytest.mark.parametrize(
    ("lines", "hottest"),
    [
        ({"/sys/class/thermal/thermal_zone0/temp": "41500"}, 41.5),
        ({"/sys/class/thermal/thermal_zone0/temp": "41500",
          "/sys/class/hwmon/hwmon3/temp1_input": "48000"}, 48.0),
        ({"/sys/class/thermal/thermal_zone0/temp": "-274000"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_the_hottest_sensor_counts(lines: dict[str, str], hottest: float | None) -> None:
    assert sensors(**lines).temperature_c == hottest


def test_the_fastest_processor_reports_the_clock() -> None:
    clocks = {f"{CPU}/cpu{i}/cpufreq/scaling_cur_freq": f"{i + 6}00000" for i in (0, 1)}
    assert sensors(**clocks).clock_mhz == 700


def test_throttling_is_counted_over_all_processors() -> None:
    counts = {f"{CPU}/cpu{i}/thermal_throttle/core_throttle_count": "3" for i in (0, 1)}
    assert sensors(**counts).throttled == 6


def test_power_is_of_packages_and_not_of_the_whole_platform_besides() -> None:
    zones = {
        f"{RAPL}/intel-rapl:0/name": "package-0",
        f"{RAPL}/intel-rapl:0/energy_uj": "5000000",
        f"{RAPL}/intel-rapl:1/energy_uj": "9000000",  # psys: its name is not read
    }
    assert sensors(**zones).energy_j == 5.0


def reading(at_s: float, watts: float | None = None, energy_j: float | None = None) -> Sensed:
    return Sensed(round(at_s * S), None, None, None, watts, energy_j)


def test_energy_becomes_power_between_two_readings() -> None:
    read = [reading(1, 9.0, 10.0), reading(3, 9.0, 18.0), reading(4, 9.0, 1.0)]
    assert own_watts(read) == ("rapl", [(3 * S, 4.0)])


def test_without_rapl_hwmon_reports_the_power() -> None:
    assert own_watts([reading(1, 9.0)]) == ("hwmon", [(S, 9.0)])


def test_a_box_without_a_meter_has_none() -> None:
    assert own_watts([reading(1)]) == ("", [])
