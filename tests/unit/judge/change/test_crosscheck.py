# SPDX-License-Identifier: Apache-2.0
"""A known tool against our agents: the same point alone, and whose loss is whose."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from gatemark.judge.judgement import CrossCheck, Judgement
from gatemark.judge.point.ceiling import ceiling
from gatemark.store.record import Record
from gatemark.tell.sentence.answer import answered

from ..conftest import Trial, run


def drove(driver: str, trial: Trial, received: Sequence[float]) -> list[Record]:
    """Trials of one driver, as a plan that sweeps it would leave them."""
    found = []
    for repeat, got in enumerate(received, 1):
        record = replace(trial, received=got, repeat=repeat, sequence=repeat).record()
        definition = changed(record.definition, driver=driver)
        point = {**record.point, "driver": driver}
        name = f"{driver}/{record.trial}"
        found.append(changed(record, trial=name, definition=definition, point=point))
    return found


def around(value: float, share: float = 0.001, seed: int = 1) -> list[float]:
    chance = random.Random(seed)
    return [value * chance.uniform(1 - share, 1 + share) for _ in range(6)]


def judged(*records: list[Record]) -> Judgement:
    every = [record for found in records for record in found]
    return answered(run(every), every)


def only(judgement: Judgement) -> CrossCheck:
    (one,) = judgement.cross_checks
    return one


GREEDY = Trial(offered=100_000.0, scheduled=0)


@pytest.mark.parametrize("path", ["route", "direct"])
def test_a_tool_that_measures_less_is_told_by_how_much(path: str) -> None:
    trial = replace(GREEDY, path=path)
    found = only(
        judged(
            drove("gatemark", trial, around(100_000)),
            drove("iperf3", trial, around(88_000, seed=2)),
        )
    )
    assert (found.driver, found.arm, found.change.verdict) == ("iperf3", path, "slower")
    assert found.change.change.value == pytest.approx(-0.12, abs=0.002)
    assert "driver" not in found.point


def test_what_the_tools_own_receiver_lost_is_not_the_gateways() -> None:
    theirs = replace(GREEDY, ring_dropped=3_000)
    found = only(
        judged(drove("gatemark", GREEDY, around(100_000)), drove("iperf3", theirs, around(97_000)))
    )
    assert (found.own_loss, found.our_loss) == (0.03, 0.0)


def test_points_that_differ_in_more_than_the_driver_are_not_compared() -> None:
    larger = replace(GREEDY, frame_bytes=512)
    found = judged(
        drove("gatemark", GREEDY, around(100_000)), drove("iperf3", larger, around(88_000))
    )
    assert found.cross_checks == ()


def test_without_a_tool_there_is_no_cross_check() -> None:
    assert judged(drove("gatemark", GREEDY, around(100_000))).cross_checks == ()


def test_each_driver_has_its_own_ceiling() -> None:
    direct = replace(GREEDY, path="direct")
    found = judged(
        drove("gatemark", direct, around(400_000)), drove("iperf3", direct, around(100_000))
    )
    routed = {name: drove(name, GREEDY, [90_000])[0].definition for name in ("gatemark", "iperf3")}
    most = {name: ceiling(found.ceilings, one) for name, one in routed.items()}
    assert most["gatemark"] == pytest.approx(400_000, rel=0.01)
    assert most["iperf3"] == pytest.approx(100_000, rel=0.01)


def test_the_answer_is_ours_and_not_a_tools() -> None:
    faster = drove("tcpreplay", GREEDY, around(150_000))
    found = judged(drove("gatemark", GREEDY, around(100_000)), faster)
    assert "99.99 k packets/s" in found.sentence


def test_an_answer_that_only_a_tool_gave_says_so() -> None:
    assert "as iperf3 measures it" in judged(drove("iperf3", GREEDY, around(90_000))).sentence
