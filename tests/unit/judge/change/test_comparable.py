# SPDX-License-Identifier: Apache-2.0
"""Like goes to like, and what differs is named."""

from typing import Any

from gatemark.judge.change.comparable import aligned, differing, nearest
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition


def row(
    plan: str = "p", *, quantity: str = "received_pps", rate: float = 0, **fields: Any
) -> Sampled:
    fields = {"path": "route", "frame_bytes": 64, **fields}
    return Sampled(
        subject=Subject(
            plan=plan,
            arm="route",
            setup="route",
            definition=Definition(**fields),
        ),
        asked={"rate_pps": rate} if quantity != "knee_pps" else {},
        quantity=quantity,
        samples=(1.0,),
        limit="cpu",
        at_least=False,
    )


def test_plans_names_need_not_agree() -> None:
    assert aligned([[row("a")], [row("b")]]) == [(row("a"), row("b"))]


def test_unlike_definitions_are_rows_of_their_own() -> None:
    old, new = row(frame_bytes=64), row(frame_bytes=512)
    assert aligned([[old], [new]]) == [(old, None), (None, new)]


def test_the_offered_rate_is_part_of_likeness() -> None:
    assert len(aligned([[row(rate=1e3)], [row(rate=2e3)]])) == 2


def test_a_whole_rate_is_like_its_decimal() -> None:
    assert len(aligned([[row(rate=1000)], [row(rate=1000.0)]])) == 1


def test_a_knee_is_not_like_a_point() -> None:
    assert len(aligned([[row()], [row(quantity="knee_pps")]])) == 2


def test_across_lets_a_field_differ() -> None:
    old, new = row(slow_to_pps=30_000), row(slow_to_pps=20_000)
    assert aligned([[old], [new]], ["slow_to_pps"]) == [(old, new)]


def test_across_gives_each_its_exact_like_first() -> None:
    small, large = row(frame_bytes=64), row(frame_bytes=512)
    assert aligned([[small, large], [large]], ["frame_bytes"]) == [(large, large), (small, None)]


def test_of_two_that_are_alike_the_plan_of_the_same_name_is_taken() -> None:
    found = aligned([[row("a"), row("b")], [row("b"), row("a")]])
    assert [(one.plan, two.plan) for one, two in found if one and two] == [("a", "a"), ("b", "b")]


def test_a_row_may_be_missing_in_the_middle() -> None:
    assert aligned([[row()], [], [row("c")]]) == [(row(), None, row("c"))]


def test_differences_name_field_and_values() -> None:
    (found,) = differing(row(features=("filter:1",)), row())
    assert str(found) == "features filter:1 against none"


def test_nearest_is_the_pair_that_differs_least() -> None:
    far, near = row(frame_bytes=512, flows=9), row(flows=9)
    assert [d.field for d in nearest([row()], [far, near])] == ["flows"]


def test_different_quantities_are_never_near() -> None:
    assert nearest([row()], [row(quantity="knee_pps")]) == []
