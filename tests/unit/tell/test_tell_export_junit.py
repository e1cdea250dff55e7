# SPDX-License-Identifier: Apache-2.0
"""JUnit's XML: the rules of junit-10.xsd, and what fails or is skipped."""

import re
from collections.abc import Sequence
from functools import cache
from xml.etree import ElementTree as ET

import builder
import pytest
from msgspec.structs import replace

from gatemark.plan.expect import expectations
from gatemark.store.record import Record
from gatemark.tell.export import junit
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

# Element -> its attributes (! must be there) and what may be in it.
RULES = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name!", "tests!", "failures!", "errors!", "skipped", "time", "timestamp", "hostname"}
        | {"id", "package", "group", "file", "log", "url", "version"},
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name!", "value!"}, set()),
    "testcase": ({"name!", "classname", "time", "group"}, {"skipped", "failure", "system-out"}),
    "skipped": ({"type", "message"}, set()),
    "failure": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}


def suites(records: Sequence[Record], count: int = 1) -> ET.Element:
    return whole() if records == builder.trials() and count == 1 else parsed(records, count)


@cache
def whole() -> ET.Element:
    """Of all trials: only to be read."""
    return parsed(builder.trials(), 1)


def parsed(records: Sequence[Record], count: int) -> ET.Element:
    run = builder.run()
    source = Source(run=run, records=records, judgement=answered(run, records), label="first")
    return ET.fromstring(junit.export([source] * count))  # noqa: S314  it is our own


def case(root: ET.Element, record: Record) -> ET.Element:
    """The case that a record is of."""
    name = " ".join(f"{factor}={level}" for factor, level in record.point.items())
    place = f"{record.plan.replace('/', '.')}.{record.arm}"
    (found,) = root.iterfind(f".//testcase[@classname='{place}'][@name='{name}']")
    return found


@pytest.mark.parametrize("count", [288, 3, 0], ids=["whole", "cut", "nothing"])
def test_it_keeps_the_rules(count: int) -> None:
    for element in suites(builder.trials()[:count]).iter():
        attributes, children = RULES[element.tag]
        assert {name.rstrip("!") for name in attributes} >= set(element.keys()), element.tag
        assert {name[:-1] for name in attributes if name[-1] == "!"} <= set(element.keys()), (
            element.tag
        )
        assert {child.tag for child in element} <= children, element.tag


def test_a_time_has_three_decimals() -> None:
    times = [time for element in suites(builder.trials()).iter() if (time := element.get("time"))]
    assert times
    assert [time for time in times if not re.fullmatch(r"\d+\.\d{3}", time)] == []


def test_a_suite_is_a_plan() -> None:
    names = [suite.get("name") for suite in suites(builder.trials())]
    assert names == [plan.name for plan in builder.plans()]


def test_a_case_is_a_point_of_an_arm() -> None:
    points = {(r.plan, r.arm, *sorted(r.point.items())) for r in builder.trials()}
    assert len(list(suites(builder.trials()).iter("testcase"))) == len(points)


def test_sums_are_those_of_the_cases() -> None:
    broken = replace(builder.trials()[0], status="invalid", reason="lost count")
    root = suites([broken, *builder.trials()[1:]], 2)
    assert (root.get("failures"), root.get("tests")) == ("2", str(len(list(root.iter("testcase")))))
    assert [suite.get("failures") for suite in root] == ["1", "0", "0"] * 2


def test_an_invalid_trial_fails_its_point() -> None:
    broken = replace(builder.trials()[0], status="invalid", reason="lan0 sent 3 more than tried")
    failure = case(suites([broken, *builder.trials()[1:]]), broken).find("failure")
    assert failure is not None
    assert failure.get("message") == "1 of 6 trials invalid: lan0 sent 3 more than tried"
    assert failure.text == f"{broken.trial}: {broken.reason}"


def test_an_invalid_warm_up_fails_nothing() -> None:
    cold = replace(builder.trials()[0], trial="cold", pass_="warmup", status="invalid")  # noqa: S106
    assert suites([cold, *builder.trials()]).get("failures") == "0"


def test_a_point_that_did_not_run_is_skipped() -> None:
    skipped = case(suites(builder.trials()[:6]), builder.trials()[-1]).find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "not run"


def test_a_point_that_could_not_run_says_why() -> None:
    unable = [replace(r, status="skipped", reason="no IPv6 here") for r in builder.trials()[:6]]
    skipped = case(suites([*unable, *builder.trials()[6:]]), builder.trials()[0]).find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "no IPv6 here"


def test_a_point_that_ran_in_part_passes_with_a_word() -> None:
    found = case(suites(builder.trials()[:5]), builder.trials()[0])
    assert [child.tag for child in found] == ["system-out"]
    assert "1 of 6 trials not run" in (found[0].text or "")


def test_a_tester_limited_point_passes_with_a_word() -> None:
    as_fast = [
        replace(r, values=r.values | builder.rates(411_000, 411_000, 64) | {"cpu_busy": 0.5})
        if r.plan == "quick/plain"
        else r
        for r in builder.trials()
    ]
    found = case(suites(as_fast), builder.trials()[-1])
    assert found.find("failure") is None
    assert "the tester was the bottleneck: rates are lower bounds" in (
        found.findtext("system-out") or ""
    )
    assert "received_pps ≥ 411 k packets/s" in (found.findtext("system-out") or "")


def test_values_are_properties_with_interval_and_limit() -> None:
    values = {
        p.get("name"): p.get("value") or "" for p in suites(builder.trials()).iter("property")
    }
    knee = values["nat: direction=up: knee_pps"]
    assert re.fullmatch(r"[\d.]+ \[[\d.]+, [\d.]+\] packets/s, n = 6, limit cpu", knee)


def test_what_xml_cannot_hold_is_replaced() -> None:
    odd = replace(builder.trials()[0], status="invalid", reason="\x00\x1b[31m <a> & \ufffe")
    failure = case(suites([odd, *builder.trials()[1:]]), odd).find("failure")
    assert failure is not None
    assert (failure.text or "").endswith("\ufffd\ufffd[31m <a> & \ufffd")


def expected(**checks: str) -> ET.Element:
    run = builder.run()
    plans = [
        replace(plan, expect=expectations(checks)) if plan.name == "quick/plain" else plan
        for plan in run.plans
    ]
    made = replace(run, plans=tuple(plans))
    source = Source(
        run=made,
        records=builder.trials(),
        judgement=answered(made, builder.trials()),
        label="first",
    )
    return ET.fromstring(junit.export([source]))  # noqa: S314  it is our own


@pytest.mark.parametrize(
    ("checks", "outcome", "message"),
    [
        ({"received_pps": "> 1"}, None, ""),
        ({"received_pps": "> 1e9"}, "failure", "expected received_pps > 1000 M packets"),
        ({"goodput_bps": "> 1"}, "skipped", "not known: no such value was measured"),
    ],
    ids=["met", "missed", "unknown"],
)
def test_a_check_of_the_plan_is_a_case(
    checks: dict[str, str], outcome: str | None, message: str
) -> None:
    root = expected(**checks)
    cases = [c for c in root.iter("testcase") if (c.get("name") or "").startswith("expect ")]
    assert {c.get("classname") for c in cases} == {"quick.plain.route", "quick.plain.nat"}
    for found in cases:
        assert [c.tag for c in found if c.tag != "system-out"] == [outcome] * bool(outcome)
        if outcome:
            assert (found[0].get("message") or "").startswith(message)
