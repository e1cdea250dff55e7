# SPDX-License-Identifier: Apache-2.0
"""A guest whose instructions are counted: a rule more is a rule more; a packet at a rate."""

import asyncio
import os
from collections.abc import Iterator
from typing import cast

import pytest

from gatemark.plan.model import Arm, Workload
from gatemark.run.bench import Bench
from gatemark.station.load import load
from gatemark.station.qemu import VirtualLab
from gatemark.station.recover import recover
from gatemark.stats.mode import shift
from gatemark.store.record import Counted, Record
from vm.conftest import Booted

WALKS = Workload(kind="walk", frame_bytes=64, walks=100)
PACED = Workload(rate_pps=1_000, frame_bytes=64, duration_s=2.0)
ROUTE = Arm(path="route", name="route")
RULES = [Arm(path="route", name=f"{n}", features=(f"filter:{n}",)) for n in (20, 21)]


@pytest.fixture(scope="module")
def counting() -> Iterator[Booted]:
    """A gateway with the plugin."""
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    recover()
    lab = cast(VirtualLab, load("qemu-x86"))
    lab.count()
    with asyncio.Runner() as runner:
        runner.run(lab.up())
        bench = Bench(lab)
        yield Booted(lab, bench, runner)
        runner.run(bench.__aexit__(None, None, None))


def counted(record: Record) -> Counted:
    assert record.evidence.counted, record.reason
    return record.evidence.counted


def modes(record: Record) -> dict[int, int]:
    return {int(number): walks for number, walks in counted(record).modes.items()}


def test_a_rule_more_is_seen_as_a_rule_more(counting: Booted) -> None:
    fewer, more, again = (counting.measure(arm, WALKS) for arm in (*RULES, RULES[0]))
    assert shift(modes(fewer), modes(again)) == 0  # A/A
    old, new = (counted(one).functions["nft_do_chain"][0] for one in (fewer, more))
    assert shift(modes(fewer), modes(more)) == new - old > 0


def test_a_packet_at_a_rate_costs_no_more_than_alone(counting: Booted) -> None:
    alone = counting.measure(ROUTE, WALKS)
    paced = counting.measure(ROUTE, PACED, probes=("instructions",))
    assert paced.evidence.at_rate is not None, paced.reason
    at_rate = paced.values["instructions_at_rate"]
    assert 0.3 < at_rate / alone.values["instructions"] < 1.1
    assert paced.evidence.at_rate.functions["ip_forward"][1] >= paced.evidence.at_rate.packets
