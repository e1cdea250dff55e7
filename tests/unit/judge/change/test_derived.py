# SPDX-License-Identifier: Apache-2.0
"""What studies print and we do not: what follows from ours, and from what."""

from functools import cache
from typing import Any

import besides
import builder
import pytest
import studies
import swift
from msgspec.structs import replace

from gatemark.judge.change import gain
from gatemark.judge.change.derived import derived
from gatemark.judge.judge import judge
from gatemark.judge.judgement import Judgement
from gatemark.judge.math.interval import Interval
from gatemark.store.record import Definition, Record
from gatemark.store.run import Run


@cache
def judged() -> Judgement:
    return judge(studies.run(), studies.trials())


def of(judgement: Judgement, quantity: str) -> dict[tuple[Any, ...], float]:
    """Each value by arm and point."""
    return {
        (subject.arm, *sorted(subject.point.items())): measured.value
        for subject, name, measured in derived(judgement)
        if name == quantity
    }


def test_what_an_arm_costs_is_what_it_does_not_gain() -> None:
    costs = of(judged(), "cost_ratio")
    assert 0.13 < costs["nat", ("direction", "up")] < 0.17


@pytest.mark.parametrize("quantity", ["cost_ratio", "gain_l4_bps", "gain_mean_ratio"])
def test_where_the_tester_was_the_limit_nothing_is_gained(quantity: str) -> None:
    judgement = judged()
    limited = [replace(c, at_least=c.arm == "nat") for c in judgement.comparisons]
    assert "nat" in {arm for arm, *_ in of(judgement, quantity)}
    told = of(replace(judgement, comparisons=tuple(limited)), quantity)
    assert "nat" not in {arm for arm, *_ in told}


def test_a_gain_is_in_bits_of_payload() -> None:
    judgement = judged()
    gains = of(judgement, "gain_l4_bps")
    assert -9e6 < gains["nat", ("direction", "up")] < -7.5e6


def test_a_gain_excludes_zero_where_its_ratio_does() -> None:
    judgement = judged()
    assert judgement.comparisons
    for comparison in judgement.comparisons:
        first = gain.base(judgement, comparison)
        assert first is not None
        more, ratio = gain.absolute(comparison, first), comparison.change.change
        assert (more.lo > 0, more.hi < 0) == (ratio.lo > 0, ratio.hi < 0)


def test_the_largest_write_has_the_whole_plateau() -> None:
    shares = of(judged(), "plateau_share")
    one_stream = {
        dict(key[1:])["write_bytes"]: share
        for key, share in shares.items()
        if ("direction", "send") in key and ("streams", 1) in key
    }
    assert max(one_stream.values()) == 1.0
    assert 0.1 < one_stream[1024] < 0.3
    assert 0.55 < one_stream[8192] < 0.75


def written(*limited: int) -> Judgement:
    """TCP over sizes of a write, of which the tester limited these."""
    judgement = judged()
    points = [replace(p, at_least=p.point.get("write_bytes") in limited) for p in judgement.points]
    return replace(judgement, points=tuple(points))


def test_a_plateau_that_the_tester_limited_has_no_shares() -> None:
    assert of(written(), "plateau_share")
    assert of(written(max(studies.WRITES), max(studies.LENGTHS)), "plateau_share") == {}


def test_a_share_that_the_tester_limited_is_not_told() -> None:
    kept = {dict(key[1:])["write_bytes"] for key in of(written(1024), "plateau_share")}
    assert {*studies.WRITES} - kept == {1024}


def test_a_step_that_the_tester_limited_adds_no_load() -> None:
    (ladder,) = swift.judgement().ladders
    steps = [replace(s, costs={"cpu_busy": s.costs["packet_ns"]}) for s in ladder.steps]
    steps[0] = replace(steps[0], at_least=True)
    judgement = replace(judged(), ladders=(replace(ladder, steps=tuple(steps)),))
    kept = {steps[1].arm, steps[2].arm}
    for quantity in ("step_cpu_busy", "saved_cpu_busy"):
        assert {arm for arm, *_ in of(judgement, quantity)} == kept


def test_two_sizes_are_no_plateau() -> None:
    records = [r for r in studies.trials() if r.point.get("write_bytes", 1024) in (1024, 2048)]
    assert of(judge(studies.run(), records), "plateau_share") == {}


def kernel(name: str, values: dict[str, float]) -> Record:
    definition = Definition(
        quantity="kernel rate", path="endpoint", l4="algorithm", kernel=name, level="O3"
    )
    return builder.record("algorithms/own", "endpoint", {"words.x": name}, definition, 1, values)


def test_coremark_is_by_the_measured_clock() -> None:
    run: Run = replace(studies.run(), plans=(), trials=())
    score = kernel("coremark", {"ops_s": 701.0})
    clock = kernel("platform measure=clock", {"clock_hz": 400e6})
    both = of(judge(run, [score, replace(clock, trial="other", sequence=1)]), "coremark_per_mhz")
    assert list(both.values()) == [701 / 400]
    assert of(judge(run, [score]), "coremark_per_mhz") == {}


def test_the_mean_of_an_arms_gains_is_between_the_least_and_the_most() -> None:
    judgement = judged()
    means = [measured for _, name, measured in derived(judgement) if name == "gain_mean_ratio"]
    assert means
    assert all(mean.lo <= mean.value <= mean.hi for mean in means)


def test_a_flows_memory_is_told_over_that_of_the_first_setup() -> None:
    point = judged().points[0]
    points = [
        replace(point.about(arm=arm), values={"flow_bytes": Interval(size, size, size, 6, 0.969)})
        for arm, size in (("nat", 340.0), ("classifier", 1950.0))
    ]
    ratios = of(replace(judged(), points=tuple(points)), "flow_bytes_times")
    assert sorted(round(ratio, 2) for ratio in ratios.values()) == [1.0, 5.74]


def test_a_step_that_lowers_the_load_saves_as_much() -> None:
    (ladder,) = swift.judgement().ladders
    steps = tuple(replace(s, costs={"cpu_busy": s.costs["packet_ns"]}) for s in ladder.steps)
    judgement = replace(judged(), ladders=(replace(ladder, steps=steps),))
    more, saved = (of(judgement, name) for name in ("step_cpu_busy", "saved_cpu_busy"))
    assert len(more) == len(steps)
    assert saved == {at: -value for at, value in more.items()}


def test_a_delay_is_reduced_from_that_without_features_wherever_it_stands() -> None:
    first = besides.seen(30.0, besides.At(arm="shaped", features=("shape:htb2:0.95",)))
    bare = besides.seen(300.0, besides.At(arm="bare"))
    reduced = of(besides.judged(first, bare), "queue_reduction")
    assert reduced == {("shaped",): pytest.approx(301 / 31)}


def test_without_such_an_arm_nothing_is_reduced() -> None:
    arms = ("shape:htb2:0.95", "shape:tbf:0.95")
    made = [besides.seen(30.0, besides.At(arm=arm, features=(arm,))) for arm in arms]
    assert of(besides.judged(*made), "queue_reduction") == {}
