# SPDX-License-Identifier: Apache-2.0
"""A ladder: planted costs are found, none is invented, what is not there is stepped over."""

from functools import cache

import pytest
import stacked
from msgspec.structs import replace

from gatemark.judge.change.ladder import holds_zero, ladders, quantity_of
from gatemark.judge.judgement import Cost, Judgement, Ladder, Step
from gatemark.judge.values import values
from gatemark.plan.model import Arm
from gatemark.store.record import Record
from gatemark.tell.sentence.answer import answered

FLAT = dict.fromkeys(stacked.ADDS_NS, 0.0)


@cache
def judged() -> Judgement:
    return stacked.judgement()


def whole() -> Ladder:
    (ladder,) = judged().ladders
    return ladder


def steps(ladder: Ladder) -> dict[str, Step]:
    return {step.arm: step for step in ladder.steps}


def test_planted_costs_are_found() -> None:
    found = steps(whole())
    for arm, below in (("conntrack", "route"), ("1000 rules", "masquerade")):
        cost = found[arm].costs["packet_ns"]
        planted = stacked.ADDS_NS[arm] - stacked.ADDS_NS[below]
        assert (found[arm].against, cost.verdict) == (below, "slower")
        assert cost.difference.value == pytest.approx(planted, rel=0.2)


def test_what_costs_nothing_is_not_said_to_cost() -> None:
    found = steps(whole())
    assert found["10 rules"].costs["packet_ns"].verdict not in ("slower", "faster")


def test_p_is_adjusted_within_the_ladder_without_its_twin() -> None:
    """A small step among four; each alone is a ladder of two arms."""
    adds = {**FLAT, "conntrack": 25.0}
    records = stacked.trials(12, adds=adds)
    alone, among = dict[str, Cost](), dict[str, Cost]()
    for step in stacked.ladder(records).steps:
        if not step.twin:
            kept = [record for record in records if record.arm in (step.arm, step.against)]
            (single,) = stacked.ladder(kept).steps
            among[step.arm], alone[step.arm] = step.costs["packet_ns"], single.costs["packet_ns"]
    ps = {arm: cost.p for arm, cost in alone.items() if cost.p is not None}
    least = min(ps, key=lambda arm: ps[arm])
    assert len(ps) == 4
    assert among[least].p == pytest.approx(4 * ps[least])
    assert 4 * ps[least] < 1
    assert all((among[arm].mde or 0) > (alone[arm].mde or 0) for arm in alone)


@pytest.mark.long
def test_a_ladder_of_nothing_has_a_false_step_in_5_percent_at_most() -> None:
    """Of whole ladders, all their steps together; the pair of A/A arms is no claim."""
    wrong = 0
    for seed in range(60):
        ladder = stacked.ladder(stacked.trials(12, seed=seed, adds=FLAT))
        claims = [step.costs["packet_ns"].verdict for step in ladder.steps if not step.twin]
        wrong += any(verdict in ("slower", "faster") for verdict in claims)
    assert wrong <= 60 * 0.05


def test_the_same_setup_again_tells_noise() -> None:
    ladder = whole()
    again = steps(ladder)["route again"]
    assert again.twin
    assert holds_zero(again, "packet_ns")
    assert ladder.noise["packet_ns"] == abs(again.costs["packet_ns"].difference.value)


def test_no_step_within_the_noise_is_told() -> None:
    """The A/A step is off by as much as conntrack costs."""
    shaken = {**stacked.ADDS_NS, "route again": 380.0}
    judged = stacked.judgement(stacked.trials(adds=shaken))
    found = steps(judged.ladders[0])
    assert found["conntrack"].costs["packet_ns"].verdict in ("within noise", "inconclusive")
    assert "twin-differs" in [warning.code for warning in judged.warnings]


def test_an_a_a_step_that_holds_zero_is_no_warning() -> None:
    assert "twin-differs" not in [one.code for one in judged().warnings]


def test_the_twin_of_the_plan_is_a_step_from_the_first_arm() -> None:
    kept = [r for r in stacked.trials() if r.arm in ("route", "route again", "conntrack")]
    named = [replace_arm(r, "route (A/A)") if r.arm == "route again" else r for r in kept]
    found = steps(answered(stacked.run(named), named).ladders[0])
    assert (found["route (A/A)"].against, found["route (A/A)"].twin) == ("route", True)


def replace_arm(record: Record, arm: str) -> Record:
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    return Record(**{**fields, "arm": arm})


def test_a_step_from_an_arm_that_was_not_available_is_from_the_one_below_it() -> None:
    kept = [record for record in stacked.trials() if record.arm != "masquerade"]
    found = steps(stacked.ladder(kept))
    assert [found[arm].against for arm in ("10 rules", "1000 rules")] == ["conntrack"] * 2


def test_without_its_foot_a_ladder_stands_on_the_next_arm() -> None:
    kept = [record for record in stacked.trials() if not record.arm.startswith("route")]
    ladder = stacked.ladder(kept)
    assert ladder.arm == "conntrack"
    assert [step.against for step in ladder.steps] == ["conntrack", "masquerade", "masquerade"]


def test_a_block_that_lacks_an_arm_is_left_out_of_its_steps() -> None:
    lost = [r for r in stacked.trials() if not (r.arm == "conntrack" and r.repeat <= 5)]
    found = steps(stacked.ladder(lost))
    assert found["conntrack"].costs["packet_ns"].difference.n == 25
    assert found["10 rules"].costs["packet_ns"].difference.n == 30


def test_where_no_time_was_read_the_rate_tells_it() -> None:
    bare = [without(record, "packet_ns", "cpu_busy") for record in stacked.trials()]
    ladder = stacked.ladder(bare)
    assert quantity_of(ladder) == "received_pps"
    assert steps(ladder)["conntrack"].costs["received_pps"].verdict == "slower"


def without(record: Record, *names: str) -> Record:
    fields = {name: getattr(record, name) for name in record.__struct_fields__}
    kept = {name: value for name, value in record.values.items() if name not in names}
    return Record(**{**fields, "values": kept})


def test_other_plans_have_no_ladder() -> None:
    plan = replace(stacked.plan(), figure="auto")
    assert ladders([plan], []) == ()
    records = stacked.trials(6)
    assert answered(stacked.run(records, [plan]), records).ladders == ()


def test_the_arms_of_a_ladder_are_not_compared_with_its_first_besides() -> None:
    assert judged().comparisons == ()


def test_one_arm_alone_is_no_ladder() -> None:
    plan = replace(stacked.plan(), arm=(Arm(path="route", name="route"),))
    records = [record for record in stacked.trials(6) if record.arm == "route"]
    assert answered(stacked.run(records, [plan]), records).ladders == ()


def test_the_answer_names_the_dearest_steps() -> None:
    said = stacked.judgement(stacked.trials()).sentence
    assert "of its CPU to route a packet; the dearest steps add 1000 rules 1" in said


def test_each_step_is_a_value_with_what_it_is_against() -> None:
    found = [one for one in values(judged()) if one.quantity == "step_packet_ns"]
    dear = next(one for one in found if one.arm == "1000 rules")
    assert (dear.against, dear.unit, dear.n) == ("masquerade", "ns", 30)
    assert dear.p is not None
    assert dear.mde is not None
    assert dear.lo < dear.value < dear.hi
