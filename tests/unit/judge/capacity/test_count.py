# SPDX-License-Identifier: Apache-2.0
"""A model of instructions finds what was planted to the last of them, and tells no rate."""

import counted
import pytest

from gatemark.judge.capacity.count import counts
from gatemark.judge.capacity.fit import fit
from gatemark.judge.capacity.line import unmeasured
from gatemark.judge.capacity.measured import measured
from gatemark.judge.capacity.model import Model
from gatemark.judge.capacity.term import Case, Setup, beyond, value
from gatemark.judge.judge import judge
from gatemark.tell.group.source import Source


@pytest.fixture(scope="module")
def model(instructions: Source) -> Model:
    assert instructions.model is not None
    return instructions.model


def test_costs_are_what_was_planted(model: Model) -> None:
    found = {cost.column: cost.each.value for cost in model.costs}
    assert found["byte",] == pytest.approx(2, abs=0.01)
    assert found["byte beyond 512",] == pytest.approx(-2, abs=0.01)
    assert found["filter rule",] == pytest.approx(163, abs=0.01)
    assert found["down",] == pytest.approx(300, abs=1)


def test_the_pair_that_is_no_sum_is_found(model: Model) -> None:
    (pair,) = [cost for cost in model.costs if cost.is_pair]
    assert set(pair.column) == {"nat", "conntrack"}
    assert pair.each.value == pytest.approx(-2000, abs=5)


def test_setups_that_are_held_out_are_predicted_exactly(model: Model) -> None:
    assert {check.case.setup.words for check in model.held_out} == {
        "route + conntrack + filter:30",
        "nat + filter:300",
    }
    assert max(abs(check.error) for check in model.held_out) < 0.001


def test_what_a_setup_executes_is_told_for_each_direction(model: Model) -> None:
    up, down = counts(model, Setup("nat", ("filter:50",)), 300)
    wanted = counted.executes("nat", ("filter:50",), "up", 300)
    assert up.instructions.value == pytest.approx(wanted, rel=0.001)
    assert (up.case.direction, down.case.direction) == ("up", "down")
    assert up.least <= up.instructions.value <= up.most
    assert up.measured is None


def test_a_case_that_was_counted_says_so(model: Model) -> None:
    (up, _) = counts(model, Setup("nat"), 64)
    assert up.measured is not None
    assert up.measured.value == counted.executes("nat", (), "up", 64)


def test_parts_come_to_the_whole(model: Model) -> None:
    (up, _) = counts(model, Setup("nat", ("conntrack", "filter:10")), 1518)
    assert sum(i.value for i in up.parts.values()) == pytest.approx(up.instructions.value)


def test_bytes_may_cost_otherwise_between_sizes() -> None:
    setup = Setup("route")
    assert beyond(Case(setup, "up", size) for size in (64, 512, 1518)) == ["byte beyond 512"]
    assert value("byte beyond 512", {"byte": 700.0}) == 188
    assert value("byte beyond 512", {"byte": 100.0}) == 0


def test_of_one_size_every_feature_is_known(instructions: Source) -> None:
    """A byte is not told apart then, and no feature is missing for it."""
    run, size = instructions.run, {"direction": "up", "frame_bytes": 64}
    kept = [record for record in instructions.records if record.point == size]
    found = measured(run, kept, judge(run, kept))
    assert found is not None
    model = fit(found)
    assert model is not None
    assert unmeasured(model, Setup("nat", ("conntrack", "filter:100"))) == []
