# SPDX-License-Identifier: Apache-2.0
"""Enough for a line or not, and what to switch off."""

from dataclasses import replace

import packets
import pytest

from gatemark.judge.capacity.line import Line, answer, rate, unmeasured
from gatemark.judge.capacity.model import Model
from gatemark.judge.capacity.term import Case, Setup
from gatemark.judge.math.interval import Interval

NAT = Setup("nat")
LOADED = Setup("nat", ("conntrack", "filter:1000"))


def test_the_share_is_that_of_both_directions_on_one_cpu(model: Model) -> None:
    line = Line(down_bps=100e6, up_bps=50e6)
    needed = line.packets(512)
    assert needed["down"] == pytest.approx(100e6 / 8 / 532)
    times = [packets.time_ns(packets.arm("nat", False, 0), way, 512) for way in needed]
    planted = sum(pps * ns for pps, ns in zip(needed.values(), times, strict=True)) / 1e9
    found = answer(model, NAT, line, 512)
    assert found.share.value == pytest.approx(planted, rel=0.05)
    assert found.least < found.share.lo < found.share.hi < found.most
    assert sum(found.alone.values()) == pytest.approx(found.share.value, rel=0.01)


@pytest.mark.parametrize(
    ("mbit", "said", "limit"),
    [(10, "enough", "none"), (10_000, "not enough", "cpu")],
)
def test_a_line_fits_or_does_not(model: Model, mbit: float, said: str, limit: str) -> None:
    found = answer(model, NAT, Line(mbit * 1e6, mbit * 1e6), 64)
    assert (found.answer, found.limit) == (said, limit)


def test_a_line_at_the_brim_is_too_close_to_tell(model: Model) -> None:
    most = answer(model, NAT, Line(1e8, 1e8), 64).share.value
    assert answer(model, NAT, Line(1e8 / most, 1e8 / most), 64).answer == "too close to tell"


def test_what_is_dear_is_the_first_to_go(model: Model) -> None:
    found = answer(model, LOADED, Line(300e6, 100e6), 512)
    assert found.answer == "not enough"
    assert found.drops[0].what == "filter:1000"
    assert found.enough_without == ("filter:1000",)
    assert found.drops[0].gain == pytest.approx(12_120 / 1900, rel=0.1)


def test_as_many_rules_as_fit_are_told(model: Model) -> None:
    line = Line(300e6, 100e6)
    found = answer(model, LOADED, line, 512)
    assert found.rules is not None
    few, many = (Setup("nat", ("conntrack", f"filter:{n}")) for n in (found.rules, found.rules + 9))
    assert answer(model, few, line, 512).answer == "enough"
    assert answer(model, many, line, 512).answer != "enough"


def test_nothing_helps_where_the_path_alone_is_too_much(model: Model) -> None:
    found = answer(model, LOADED, Line(50e9, 1e9), 64)
    assert (found.enough_without, found.rules) == ((), 0)


def test_a_shaper_is_its_own_limit(model: Model) -> None:
    shaped = Setup("nat", ("shape:cake:100",))
    found = answer(model, shaped, Line(1e9, 5e8), 1518)
    assert (found.answer, found.limit) == ("not enough", "shaper")


@pytest.mark.parametrize(("port", "dearer"), [("wan", ["up"]), ("lan", ["down"])])
def test_a_shaper_at_one_port_takes_its_cpu_in_one_direction(
    shaped: Model, port: str, dearer: list[str]
) -> None:
    line = Line(20e6, 20e6)
    bare = answer(shaped, NAT, line, 512).alone
    with_it = answer(shaped, Setup("nat", (f"shape:cake:19:{port}",)), line, 512).alone
    pps = line.packets(512)["up"]
    added = {way: (with_it[way] - bare[way]) * 1e9 / pps for way in bare}
    assert [way for way in ("up", "down") if added[way] > 1] == dearer
    assert added[dearer[0]] == pytest.approx(3000, rel=0.1)


def test_a_shaper_without_a_rate_is_asked_for_its_cost_alone(shaped: Model) -> None:
    asked = Setup("nat", ("shape:cake",))
    assert unmeasured(shaped, asked) == []
    assert answer(shaped, asked, Line(20e6, 20e6), 512).limit == "none"


@pytest.mark.parametrize(
    ("word", "limits"),
    [
        ("shape:cake", ["shaper", "shaper"]),
        ("shape:cake:95%:wan", ["shaper", "none"]),
        ("shape:cake:95%:lan", ["none", "shaper"]),
    ],
)
def test_a_line_is_too_fast_for_a_shaper_in_the_direction_that_it_shapes(
    shaped: Model, word: str, limits: list[str]
) -> None:
    holds = Interval(10e6, 10e6, 10e6, 1, 0.0)
    lines = Line(5e6, 20e6), Line(20e6, 5e6)
    fits = [answer(shaped, Setup("nat", (word,)), line, 1518, holds) for line in lines]
    assert [fit.limit for fit in fits] == limits


@pytest.mark.parametrize("port", ["wan", "lan"])
def test_a_shaper_that_was_not_measured_is_named_whatever_its_port(model: Model, port: str) -> None:
    word = f"shape:cake:19:{port}"
    assert unmeasured(model, Setup("nat", (word,))) == [word]


def test_a_shaper_holds_back_only_a_line_with_more_frames_than_it_passes(model: Model) -> None:
    """A line of 101 Mbit/s carries 99.4 Mbit/s of 1518-byte frames, one of 102 carries 100.4."""
    shaped = Setup("nat", ("shape:cake:100",))
    limits = [answer(model, shaped, Line(bps, 1e6), 1518).limit for bps in (101e6, 102e6)]
    assert [limit == "shaper" for limit in limits] == [False, True]


def test_a_shaper_sees_frames_without_their_check_sequence(model: Model) -> None:
    """100 Mbit/s carry 148.8 k packets/s of 64 bytes: 71.4 Mbit/s of frames, 76.2 with it."""
    limits = [
        answer(model, Setup("route", (f"shape:tbf:{mbit}",)), Line(100e6, 1e6), 64).limit
        for mbit in (72, 71)
    ]
    assert [limit == "shaper" for limit in limits] == [False, True]


def test_a_shaper_of_one_port_holds_back_one_direction(model: Model) -> None:
    shaped = Setup("nat", ("shape:cake:100:wan",))
    limits = [answer(model, shaped, line, 1518).limit for line in (Line(2e8, 5e7), Line(5e7, 2e8))]
    assert [limit == "shaper" for limit in limits] == [False, True]


def test_what_was_not_measured_is_named(model: Model) -> None:
    assert unmeasured(model, Setup("switch", ("capture:tcpdump:68", "filter:5"))) == [
        "switch",
        "capture:tcpdump:68",
    ]
    assert unmeasured(model, LOADED) == []


def test_a_rate_has_its_bits_on_every_layer(model: Model) -> None:
    found = rate(model, Case(NAT, "up", 64.0))
    assert found.l1_bps / found.pps.value == pytest.approx(84 * 8)
    assert found.l4_bps / found.pps.value == pytest.approx(18 * 8)
    assert found.least < found.pps.lo <= found.pps.value <= found.pps.hi < found.most
    assert found.pps.lo / found.least == pytest.approx(model.margin)
    assert found.most / found.pps.hi == pytest.approx(model.margin)


def test_an_unknown_margin_widens_nothing(model: Model) -> None:
    bare = replace(model, margin=1.0, level=0.0)
    found = answer(bare, NAT, Line(1e8, 1e8), 64)
    assert (found.least, found.most) == (found.share.lo, found.share.hi)


@pytest.mark.parametrize(("held_mbit", "said"), [(90, "not enough"), (120, "enough")])
def test_what_a_search_found_goes_before_the_cost_of_a_shaper(
    shaped: Model, held_mbit: float, said: str
) -> None:
    asked = Setup("nat", ("shape:cake",))
    held = Interval(held_mbit * 1e6, held_mbit * 1e6, held_mbit * 1e6, 3, 0.75)
    assert answer(shaped, asked, Line(100e6, 100e6), 1518).answer == "enough"
    found = answer(shaped, asked, Line(100e6, 100e6), 1518, held)
    assert (found.answer, found.limit) == (said, "shaper" if held_mbit < 100 else "none")
