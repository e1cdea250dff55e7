# SPDX-License-Identifier: Apache-2.0
"""Numbers in print never claim more than was measured."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.interval import Interval
from gatemark.number import measured
from gatemark.tell.words import number
from gatemark.tell.words.number import KPPS, PERCENT


def six(value: float, lo: float, hi: float) -> Interval:
    return Interval(value, lo, hi, 6, 0.969)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (30_100, "packets/s", "30.1 k packets/s"),
        (812, "packets/s", "812 packets/s"),
        (20_226_000, "bit/s", "20.2 Mbit/s"),
        (45_400, "ns", "45.4 µs"),
        (1_240_000, "ns", "1.24 ms"),
        (2.5e9, "ns", "2.50 s"),
        (4_092_261_910, "Hz", "4.09 GHz"),
        (13_351_214_600, "bytes/s", "13.4 GB/s"),
        (0.998, "ratio", "99.8 %"),
        (0.0, "packets/s", "0 packets/s"),
        (float("nan"), "ns", "\N{EN DASH} ns"),
    ],
)
def test_quantity_has_three_digits_and_a_prefix(value: float, unit: str, text: str) -> None:
    assert number.quantity(value, unit) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (six(30_100, 29_900, 30_300), "30.10 ± 0.20"),
        (six(30_100, 29_951, 30_250), "30.10 ± 0.15"),  # two digits of an error below 30
        (six(30_100, 29_651, 30_550), "30.1 ± 0.5"),  # 0.45 is rounded up
        (six(30_100, 28_000, 30_300), "30.1 (28.0\N{EN DASH}30.3)"),
        (six(30_100, 29_000, 31_100), "30.1 ± 1.1"),  # sides within a tenth of each other
        (six(30_100, 29_000, 31_050), "30.1 (29.0\N{EN DASH}31.1)"),
        (six(510_000, 469_000, 662_000), "510 (470\N{EN DASH}660)"),
        (six(510_000, 469_000, 551_000), "510 ± 50"),
        (six(10_000, 3_000, 48_000), "10 (3\N{EN DASH}48)"),  # not from 0
        (six(30_100, 30_100, 30_100), "30.1"),
        (Interval(30_100, 30_100, 30_100, 1, 0.0), "30.1"),
    ],
)
def test_interval_tells_its_sides(interval: Interval, text: str) -> None:
    assert number.interval(interval, KPPS) == text


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (six(16_384, 16_383, 16_386), "16384 (16383\N{EN DASH}16386)"),
        (six(16_384, 16_382, 16_386), "16384 ± 2"),
        (six(262_144, 262_104, 262_184), "262140 ± 40"),  # it ends where its error ends
        (six(16_384, 16_084, 16_684), "16400 ± 300"),
        (six(64_512, 64_512, 64_512), "64512"),
        (six(812.4, 810.4, 814.4), "812.4 ± 2.0"),
    ],
)
def test_a_count_has_all_its_digits(interval: Interval, text: str) -> None:
    to = number.Scale(1.0, "flows")
    assert number.interval(interval, to) == text
    assert number.value_alone(interval, to) == text.partition(" ")[0]
    assert number.quantity_interval(interval, "flows") == f"{text} flows"


def test_lower_bound_is_marked() -> None:
    shown = number.interval(six(30_100, 29_900, 30_300), KPPS, at_least=True)
    assert shown == "≥ 30.10 ± 0.20"
    assert number.compact(six(411_000, 407_000, 415_000), "packets/s", at_least=True) == (
        "≥ 411 ± 4 k"
    )


def test_what_was_set_is_not_given_digits() -> None:
    assert number.nominal(5_000, "packets/s") == "5 k packets/s"
    assert number.nominal(12_500, "packets/s") == "12.5 k packets/s"


@pytest.mark.parametrize(
    ("value", "text"), [(-3, "0 s"), (12.4, "12 s"), (185, "3 min 05 s"), (7_800, "2 h 10 min")]
)
def test_seconds(value: float, text: str) -> None:
    assert number.seconds(value) == text


@given(
    value=st.floats(1, 1e9),
    below=st.floats(0, 0.5),
    above=st.floats(0, 0.5),
)
def test_printed_interval_covers_the_measured_one(value: float, below: float, above: float) -> None:
    measured = six(value, value * (1 - below), value * (1 + above))
    to = number.scale([value], "packets/s")
    shown = number.interval(measured, to)
    digit = 10.0 ** -number.decimals(measured, to) * to.factor
    numbers = [float(found) * to.factor for found in re.findall(r"[\d.]+", shown)]
    if "±" in shown:
        low, high = numbers[0] - numbers[1], numbers[0] + numbers[1]
    else:
        low, high = numbers[-2:] if len(numbers) == 3 else (value, value)
    assert low <= measured.lo + digit
    assert high >= measured.hi - digit


def test_ratio_is_shown_in_percent() -> None:
    assert number.interval(six(0.981, 0.976, 0.986), PERCENT) == "98.1 ± 0.5"


@given(
    value=st.floats(1, 1e9),
    below=st.floats(0, 0.5),
    above=st.floats(0, 0.5),
)
def test_value_has_the_same_digits_with_and_without_its_interval(
    value: float, below: float, above: float
) -> None:
    measured = six(value, value * (1 - below), value * (1 + above))
    to = number.scale([value], "packets/s")
    alone = number.value_alone(measured, to)
    assert re.fullmatch(rf"{alone}( .*)?", number.interval(measured, to))


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (27_912, 420, "27.9 k packets/s"),
        (27_912, 1_100, "27.9 k packets/s"),
        (27_912, 3_100, "28 k packets/s"),
        (510_400, 152_000, "510 k packets/s"),
        (510_400, 0, "510 k packets/s"),
    ],
)
def test_value_ends_where_its_error_begins(value: float, error: float, text: str) -> None:
    assert measured(value, value - error, value + error, "packets/s") == text
