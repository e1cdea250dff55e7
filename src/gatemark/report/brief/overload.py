# SPDX-License-Identifier: Apache-2.0
"""The table of overload: what passes whole, the knee, and what is beyond it.

Delays are at one rate that all arms carry, and at one that none does.
"""

from collections.abc import Iterable, Sequence

from gatemark.report.group import latency, sweep
from gatemark.report.group.latency import Load
from gatemark.report.words import number, traffic
from gatemark.report.words.brief import MS, NAMES, US, Brief, Row, limited, value
from gatemark.report.words.number import KPPS, PERCENT
from gatemark.report.words.table import NONE
from gatemark.stats.judgement import Judgement, Knee
from gatemark.stats.point.timed import MEDIAN


def overload(judgement: Judgement) -> Brief:
    """A row for each sweep of the first kind of traffic, which the caption names."""
    knees = next(iter(sweep.groups(judgement)), [])
    loads = latency.loads(judgement, knees)
    return Brief(
        _caption(judgement, knees),
        (
            NAMES,
            ("no loss to", KPPS.unit),
            ("knee", KPPS.unit),
            ("kept at", "2x, %"),
            (f"p50 at{_rate(loads, 'near')}", US.unit),
            ("p99", US.unit),
            (f"p50 at{_rate(loads, 'over')}", MS.unit),
        ),
        tuple(_row(knee, loads) for knee in knees),
    )


def _caption(judgement: Judgement, knees: Sequence[Knee]) -> str:
    slowed = bool(knees) and all(knee.definition.slow_to_pps for knee in knees)
    size = knees[0].definition.frame_bytes if knees else None
    text = "Slowed to a home router's speed" if slowed else "More and more packets"
    loaded = [point for knee in knees if (point := sweep.loaded(judgement, knee))]
    held = limited({knee.arm: knee.limit for knee in knees}, loaded)
    return f"{text}{f', {size} bytes' if size else ''}{held}"


def _rate(loads: Iterable[Load], name: str) -> str:
    """The rate of a load: ` 23.5 k`."""
    rates = (sweep.offered_pps(load.point) for load in loads if load.load == name)
    return next((f" {rate / KPPS.factor:g} k" for rate in rates), "")


def _row(knee: Knee, loads: Iterable[Load]) -> Row:
    side = (knee.arm, knee.direction)
    own = {load.load: load.point for load in loads if (load.arm, load.direction) == side}
    near, twice = own.get("near"), knee.retained.get("2x")
    way = "" if knee.direction == "up" else f" {traffic.way(knee.direction)}"
    return (
        f"{knee.arm}{way}",
        number.plain(knee.no_loss_pps / KPPS.factor, 1) if knee.no_loss_pps else NONE,
        number.interval(knee.knee_pps, KPPS, at_least=knee.at_least),
        number.value_alone(twice, PERCENT) if twice else NONE,
        number.interval(near.values[MEDIAN], US) if near else NONE,
        value(near, "delay_p99_ns", US),
        value(own.get("over"), MEDIAN, MS),
    )
