# SPDX-License-Identifier: Apache-2.0
"""Variants: a plan's keys put over its own, found by name, their mistakes told by line."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from gatemark.error import UsageError
from gatemark.plan.expand import points
from gatemark.plan.load import load, read_plan
from gatemark.plan.model import Plan

HEAD = """\
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
[setup]
path = "nat"
[workload]
duration_s = 20
[sweep]
flows = [1, 16, 64]
"""
SHORT = "[variant.short.workload]\nduration_s = 2\n[variant.short.sweep]\nflows = [1]\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "p.toml"
    path.write_text(HEAD + text)
    return path


def test_a_variant_changes_its_keys_alone(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, SHORT + "[variant.long.repeat]\ntimes = 30\n"), "p", "short")
    assert (plan.workload.duration_s, plan.sweep, plan.repeat.times) == (2, {"flows": (1,)}, 6)
    assert (plan.variants, plan.variant) == (("short", "long"), "short")


def test_without_a_variant_a_plan_is_as_it_is(tmp_path: Path) -> None:
    plan = read_plan(written(tmp_path, SHORT), "p")
    assert (plan.workload.duration_s, len(points(plan)), plan.variant) == (20, 3, "")


def test_an_unknown_variant_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--variant shot: .* did you mean 'short'"):
        load(str(written(tmp_path, SHORT)), "shot")


def test_a_plan_without_variants_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has that variant; it has none"):
        load(str(written(tmp_path, "")), "short")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[variant.short.workload]\nduratoin_s = 1\n", "12: unknown key 'duratoin_s'"),
        ("[variant.short.arm]\n", "11: unknown key 'arm' in \\[variant.short\\]"),
        ("[variant]\nshort = 3\n", "11: a variant is a table"),
        ("[variant.short]\nrepeat = 3\n", "12: `repeat` is a table"),
        ("[variant.short.sweep]\nflows = 3\n", "12: `flows` of \\[sweep\\] is not a list"),
        ("[variant.short.beside]\nuploads = 8\n", "12: what is sent beside is a table"),
        ("[variant.short.workload]\nstreams = 4\n", "12: `streams` means nothing for kind udp"),
        ("[variant.short.beside.up2]\nstreams = 4\n", "12: `streams` means nothing for kind udp"),
    ],
)
def test_a_mistake_in_a_variant_is_told_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        read_plan(written(tmp_path, text), "p")


def test_a_key_of_the_kind_that_a_variant_changes_to_is_taken(tmp_path: Path) -> None:
    text = '[variant.tcp.workload]\nkind = "tcp"\nstreams = 4\n[variant.tcp.sweep]\nflows = [1]\n'
    assert read_plan(written(tmp_path, text), "p").variants == ("tcp",)


def test_every_shipped_variant_is_sound(
    shipped: dict[str, tuple[Plan, ...]], variants: list[tuple[Plan, Plan]]
) -> None:
    named = [
        (plan.name, name) for plans in shipped.values() for plan in plans for name in plan.variants
    ]
    assert [(variant.name, variant.variant) for _, variant in variants] == named != []


def test_a_studys_short_variant_takes_a_tenth_of_the_time(
    variants: list[tuple[Plan, Plan]],
) -> None:
    studies = ("wrt54", "kofler", "procbench")
    pairs = [
        (plan, variant)
        for plan, variant in variants
        if variant.variant == "short" and plan.name.startswith(studies)
    ]
    assert {plan.name.partition("/")[0] for plan, _ in pairs} == {*studies}
    assert [
        plan.name
        for plan, short in pairs
        if short.workload.duration_s > plan.workload.duration_s / 10
    ] == []


TABLES = ("gateway", "workload", "beside", "repeat", "search")
WORDS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten", 20: "twenty"}


def texts(plan: Plan) -> str:
    """All that a plan says of itself, as it is written."""
    return " | ".join((plan.title, plan.why, plan.reading, *plan.deviations, *plan.lacks.values()))


def numbers(struct: Any, at: str = "") -> Iterator[tuple[str, float]]:
    """The numbers of a plan's structures, each under its place."""
    for key, value in struct.items():
        if isinstance(value, dict):
            yield from numbers(value, f"{at}{key}.")
        elif isinstance(value, int | float):
            yield f"{at}{key}", float(value)


def changed(plan: Plan, variant: Plan) -> Iterator[tuple[str, float]]:
    """The numbers of a plan that a variant changes, as the plan itself has them."""
    both = [
        dict(numbers(to_builtins({key: getattr(made, key) for key in TABLES})))
        for made in (plan, variant)
    ]
    return ((place, number) for place, number in both[0].items() if both[1].get(place) != number)


def stale(place: str, number: float, rate_pps: float) -> str:
    """A pattern of the words that tell a count of repeats, a time, or a slowed gateway."""
    word = rf"({number:g}|{WORDS.get(int(number), 'none')})"
    if place == "gateway.slow_to_pps":
        return "the slowed gateway"
    if place.endswith("times"):
        return rf"\b{word} (\w+ )?(repeats|rounds|times)\b|median of {word}\b"
    if not place.endswith("_s"):
        return "$^"
    packets = rf"\b{number * rate_pps / 1e6:g} million packets"
    return rf"\b{word} (s|seconds)\b|{packets}" + ("|minute" if number == 60 else "")


def test_what_a_plan_says_of_itself_holds_for_its_variants(
    variants: list[tuple[Plan, Plan]],
) -> None:
    wrong = []
    for plan, variant in variants:
        for place, number in changed(plan, variant):
            if words := re.search(stale(place, number, plan.workload.rate_pps), texts(plan)):
                wrong.append((plan.name, variant.variant, place, words[0]))
    assert wrong == []
