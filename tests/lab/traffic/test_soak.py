# SPDX-License-Identifier: Apache-2.0
"""A soak of the lab beside a program that keeps a kilobyte of each new flow, and one that does not.

Short samples with many flows: benchmarks/soak.py takes ten minutes of as many as a home has.
"""

import asyncio
import sys
from contextlib import ExitStack
from typing import Final

import pytest
from msgspec.structs import replace

from benchmarks.soak import FLOWS
from gatemark.judge.judgement import Judgement
from gatemark.plan.load import load
from gatemark.plan.model import Gateway, Plan, Repeat
from gatemark.run.bench import Bench
from gatemark.tell.fact import say
from lab.planted import measure

pytestmark = pytest.mark.long
KEPT: Final = 1024


def plan() -> Plan:
    """The plan of minutes, of half a minute."""
    _, (shipped,) = load("soak/minutes")
    return replace(
        shipped,
        gateway=Gateway(),
        repeat=Repeat(times=36),
        workload=replace(shipped.workload, duration_s=0.3, rate_pps=2000, flows=300),
    )


def soaked(kept: int) -> Judgement:
    """Return what a soak beside the program comes to."""
    with ExitStack() as stack:

        async def plant(bench: Bench) -> None:
            space = getattr(bench.station.gateway.node, "netns")  # noqa: B009
            words = ["ip", "netns", "exec", space, sys.executable, "-c", FLOWS, str(kept)]
            program = await asyncio.create_subprocess_exec(*words)
            stack.callback(program.kill)

        judgement, records = measure(plan(), plant=plant)
    assert {(record.status, record.reason) for record in records} == {("ok", "")}
    return judgement


def test_a_leak_of_a_kilobyte_a_flow_is_named() -> None:
    judgement = soaked(KEPT)
    named = [say.words(finding.fact) for each in judgement.diagnoses for finding in each.wrong]
    assert any(words.startswith("The memory of python") for words in named)
