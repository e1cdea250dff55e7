# SPDX-License-Identifier: Apache-2.0
"""What a gateway would refuse is found before a run by setting one to each kind of arm."""

import asyncio
import os
from typing import Any, cast

import pytest

from gatemark.error import NodeError, UnavailableError
from gatemark.node.shell import Namespace
from gatemark.plan.load import load
from gatemark.plan.model import Arm
from gatemark.plan.order import order
from gatemark.run.bench import Bench
from gatemark.run.preflight import refusal
from gatemark.station.wiring import Gateway

LACKING = {"shape:cake:20": "no such queue", "buckets:512": "not its own"}


class Noting:
    """A setup that notes what it is set to."""

    def __init__(self) -> None:
        self.done: list[str] = []

    async def change(self, arm: Arm) -> None:
        self.done.append(arm.setup)
        for feature in arm.features:
            if feature in LACKING:
                raise UnavailableError(f"{feature}: {LACKING[feature]}")
            if feature == "mss":
                raise NodeError("gateway: it failed")


class Stand:
    """A bench with such a setup."""

    def __init__(self) -> None:
        self.setup = Noting()
        self.station = self
        self.gateway = Gateway(Namespace("gateway", "gm-none-gw"), {})

    def lacks(self, arm: Arm) -> str:
        return "not available here: no nft" if arm.path == "nat" else ""


def reasons(*arms: Arm) -> tuple[dict[str, str], list[str]]:
    stand: Any = Stand()
    assert refusal.is_quick(cast("Bench", stand))
    found = asyncio.run(refusal.on_bench(cast("Bench", stand), arms))
    return {arm.setup: why for arm, why in found.items()}, stand.setup.done


def arm(*features: str, path: Any = "route") -> Arm:
    return Arm(path=path, name="x", features=features)


def test_the_gateway_is_set_to_each_arm_that_it_has_the_tools_for() -> None:
    found, done = reasons(arm("conntrack"), arm("shape:cake:20"), arm("conntrack", path="nat"))
    assert found == {
        "route + conntrack": "",
        "route + shape:cake:20": "no such queue",
        "nat + conntrack": "no nft",
    }
    assert done == ["route + conntrack", "route + shape:cake:20"]


def test_arms_that_differ_in_a_number_are_tried_once() -> None:
    found, done = reasons(arm("filter:10"), arm("filter:999"), arm("filter:10:set"))
    assert set(found.values()) == {""}
    assert done == ["route + filter:10", "route + filter:10:set"]


def test_a_fault_is_nothing_that_is_lacking() -> None:
    assert reasons(arm("mss"))[0] == {"route + mss": ""}


def test_a_users_own_command_is_not_run() -> None:
    assert reasons(arm("command:mine"))[0] == {"route + command:mine": ""}


def test_only_arms_with_features_are_tried() -> None:
    specs = order(load("delay/shaper")[1], 0)
    assert {arm.name for arm in refusal.tried(specs)} == {
        "HTB, the flow first",
        "FQ-CoDel",
        "CAKE",
    }
    assert refusal.tried(order(load("rfc/ceiling")[1], 0)) == ()


def test_the_arms_that_would_be_skipped_are_told_with_all_their_trials() -> None:
    _, plans = load("delay/shaper")
    specs = order(plans, 0)
    arms = [arm for arm in plans[0].arm if arm.name in ("CAKE", "FQ-CoDel")]
    reasons = dict.fromkeys(reversed(arms), "no such queue")
    count = sum(spec.arm == arms[0] for spec in specs)
    found = refusal.of_trials(specs, plans, reasons)
    assert [(each.arm, each.reason, each.trials, each.of) for each in found] == [
        ("FQ-CoDel", "no such queue", count, count),
        ("CAKE", "no such queue", count, count),
    ]


def test_without_root_nobody_can_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UnavailableError, match="not root; `gatemark doctor` lists"):
        refusal.in_lab((arm("dscp:1"),))


def test_the_doctor_lists_the_kinds_of_a_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_lab(arms: tuple[Arm, ...]) -> dict[Arm, str]:
        return {arm: "no such queue" if arm.features == ("shape:cake:100",) else "" for arm in arms}

    monkeypatch.setattr(refusal, "in_lab", in_lab)
    rows = [(row.ok, row.what, row.text) for row in refusal.features()]
    assert (True, "feature conntrack", "works") in rows
    assert (True, "feature shape", "tbf, htb, htb2, fq_codel") in rows
    assert (False, "feature shape", "cake: no such queue") in rows
    assert not any(what == "feature command" for _, what, _ in rows)


def test_where_no_lab_stands_the_doctor_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_lab(_: tuple[Arm, ...]) -> dict[Arm, str]:
        raise UnavailableError("no namespaces")

    monkeypatch.setattr(refusal, "in_lab", in_lab)
    (row,) = refusal.features()
    assert (row.ok, row.needed, row.text) == (False, False, "not tried: no namespaces")
