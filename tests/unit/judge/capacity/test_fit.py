# SPDX-License-Identifier: Apache-2.0
"""The fit finds what was planted: costs, a pair that is no sum, and what it cannot know."""

import packets
import pytest
from msgspec.structs import replace

from gatemark.judge.capacity.fit import chance, fit, margin
from gatemark.judge.capacity.measured import measured
from gatemark.judge.capacity.model import Model
from gatemark.judge.capacity.part import OTHERS, TOGETHER, parts
from gatemark.judge.capacity.term import Case, Setup, columns, recounted, terms
from gatemark.judge.judge import judge
from gatemark.store.record import Record


def test_planted_costs_lie_in_their_intervals(model: Model) -> None:
    planted = {(name,): ns for name, ns in packets.COST.items() if name != "down"}
    costs = {cost.column: cost.each for cost in model.costs if cost.column in planted}
    assert {column: each.value for column, each in costs.items()} == pytest.approx(
        planted, rel=0.12
    )
    beside = [
        column
        for column, each in costs.items()
        if not each.lo / 1.03 < planted[column] < each.hi / 0.97
    ]
    assert beside == []


def test_a_pair_whose_sum_fails_is_found_with_its_size(model: Model) -> None:
    (pair,) = [cost for cost in model.costs if cost.is_pair]
    assert set(pair.column) == {"nat", "conntrack"}
    assert pair.each.lo < -packets.COST["conntrack"] < pair.each.hi


def test_a_sum_that_holds_needs_no_pair() -> None:
    fitted = packets.model(packets.trials(pair=0.0))
    assert [cost.column for cost in fitted.costs if cost.is_pair] == []


def test_setups_that_are_held_out_are_predicted(model: Model) -> None:
    assert {check.case.setup.words for check in model.held_out} == {
        "route + conntrack + filter:100",
        "nat + filter:300",
    }
    assert max(abs(check.error) for check in model.held_out) < 0.06


def test_drift_of_the_machine_is_no_cost(model: Model) -> None:
    """A block twice as slow as another widens no interval: its speed is taken out first."""
    still = packets.model(packets.trials(drift=0.0))
    spans = [
        next(c.each.hi - c.each.lo for c in fitted.costs if c.column == ("nat",))
        for fitted in (model, still)
    ]
    assert spans[0] == pytest.approx(spans[1], rel=0.5)
    assert max(model.speeds.values()) / min(model.speeds.values()) > 1.3


def test_a_case_beside_its_sum_is_named() -> None:
    slow = [
        replace(r, values={**r.values, "received_pps": r.values["received_pps"] / 1.3})
        if (r.arm, r.point["frame_bytes"]) == ("nat + filter:300", 64)
        else r
        for r in packets.trials()
    ]
    failing = [check for check in packets.model(slow).checks if check.fails]
    assert [(c.case.setup.words, c.case.frame_bytes) for c in failing] == [("nat + filter:300", 64)]
    assert failing[0].ratio.value == pytest.approx(1.3, rel=0.05)


def test_the_margin_holds_what_was_left_out() -> None:
    assert margin([0.02, -0.05, 0.01]) == pytest.approx((1.0513, 0.75), abs=1e-4)
    assert margin([at / 1000 for at in range(39)]) == pytest.approx((1.0376, 0.95), abs=1e-4)
    assert margin([]) == (1.0, 0.0)


def test_chance_is_students() -> None:
    assert chance([1.0, 2.0, 3.0]) == pytest.approx(0.0742, abs=1e-4)
    assert chance([5.0]) == 1.0


@pytest.mark.parametrize("lost", [True, False])
def test_what_the_cpu_did_not_limit_is_left_out_with_its_reason(lost: bool) -> None:
    def idle(record: Record) -> Record:
        values = record.values | {"cpu_busy": 0.4}
        if not lost:
            values |= {"offered_pps": values["received_pps"], "loss_ratio": 0.0}
        cpu = tuple(replace(reading, busy=0.4) for reading in record.evidence.cpu)
        return replace(record, values=values, evidence=replace(record.evidence, cpu=cpu))

    kept = [idle(record) if record.arm == "route" else record for record in packets.trials()]
    found = packets.times(kept)
    assert {one.case.setup.words for one in found.left_out} == {"route"}
    assert all(one.why for one in found.left_out)
    assert not any(case.setup == Setup("route") for case in found.times)


def test_unlike_traffic_is_not_mixed() -> None:
    """Other flows in some trials: the kind with most setups is fitted."""
    kept = [
        replace(r, definition=replace(r.definition, flows=9)) if r.arm == "nat" else r
        for r in packets.trials()
    ]
    assert not any(case.setup == Setup("nat") for case in packets.times(kept).times)


def test_nothing_measured_is_no_model() -> None:
    made = packets.run()
    assert measured(made, [], judge(made, [])) is None
    kept = [r for r in packets.trials() if r.arm == "nat + filter:300"]  # held out
    assert fit(packets.times(kept)) is None


def test_what_always_comes_together_is_not_told_apart() -> None:
    kept = [r for r in packets.trials() if r.arm in ("route", "nat + conntrack")]
    found = packets.model(kept)
    assert "conntrack" in found.unresolved or "nat" in found.unresolved


def test_parts_add_up(model: Model) -> None:
    case = Case(Setup("nat", ("conntrack", "filter:100")), "up", 64.0)
    whole = parts(model, case)
    assert set(whole) == {"base", "byte", "nat", "conntrack", "filter", TOGETHER}
    assert sum(ns.value for ns in whole.values()) == pytest.approx(
        model.takes(case).value, rel=0.02
    )
    assert set(parts(model, case, but=["base", "filter"])) == {"base", "filter", OTHERS}


def test_a_feature_is_one_term_and_a_filter_two() -> None:
    wanted = {
        "conntrack": {"conntrack": 1.0},
        "filter:20": {"filter rule": 20.0, "filter": 1.0},
        "filter:20:nft": {"filter rule": 20.0, "filter": 1.0},
        "filter:7:set": {"filter:set rule": 7.0, "filter:set": 1.0},
        "shape:cake:100": {"shape:cake": 1.0},
        "shape:cake": {"shape:cake": 1.0},
        "shape:cake:95%:wan:nat": {"shape:cake:nat": 1.0},
        "capture:tcpdump:68": {"capture:tcpdump:68": 1.0},
    }
    assert {word: terms(word) for word in wanted} == wanted


def dearer(word: str) -> set[str]:
    """The directions in which a feature is a term."""
    (term,) = terms(word)
    cases = {way: Case(Setup("nat", (word,)), way, 64.0) for way in ("up", "down")}
    return {way for way, case in cases.items() if term in columns(case, "nat")}


def test_a_shaper_at_one_port_costs_in_one_direction() -> None:
    ways = {
        "shape:cake:100": {"up", "down"},
        "shape:cake:100:wan": {"up"},
        "shape:cake:100:lan": {"down"},
        "conntrack": {"up", "down"},
    }
    assert {word: dearer(word) for word in ways} == ways


def test_the_first_path_is_the_base() -> None:
    assert "nat" not in columns(Case(Setup("nat"), "up", 64.0), "nat")
    assert recounted("filter:20:set", 5) == "filter:5:set"
