# SPDX-License-Identifier: Apache-2.0
"""Real traffic in a lab of namespaces: what the lab tests share."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from gatemark.plan.model import Arm, Gateway, Plan, Probe, Repeat, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.stats.judge import judge
from gatemark.stats.judgement import Judgement
from gatemark.store.record import Record
from gatemark.store.run import Run

Plant = Callable[[Bench], Awaitable[None]]

ALL_PROBES = ("cpu", "softirq", "memory", "conntrack", "interfaces", "shaper")


@pytest.fixture(autouse=True)
def _root() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")


def plan(
    arm: str | Arm, load: Workload, *, brake_pps: int = 0, repeats: int = 1, name: str = "test/plan"
) -> Plan:
    """A plan of one arm, measured in both passes."""
    return Plan(
        schema="gatemark.plan/1",
        title="",
        why="",
        reading="",
        name=name,
        arm=(Arm(path=arm, name=arm) if isinstance(arm, str) else arm,),  # type: ignore[arg-type]
        workload=load,
        gateway=Gateway(brake_pps=brake_pps),
        repeat=Repeat(times=repeats),
        probe=Probe(use=ALL_PROBES),
    )


def measure(*plans: Plan, plant: Plant | None = None) -> tuple[Judgement, list[Record]]:
    """Run plans on a lab of their own, with `plant` done to it first; judge what came out."""
    return asyncio.run(_measure(plans, plant))


async def _measure(plans: tuple[Plan, ...], plant: Plant | None) -> tuple[Judgement, list[Record]]:
    recover()
    lab = Lab()
    trials = order(plans, seed=1)
    records = []
    async with Bench(lab) as bench:
        if plant:
            await plant(bench)
        for spec in trials:
            with lock.machine(print):
                record, _ = await trial.run(bench, spec, lambda _: None)
            records.append(record)
    run = Run(
        run="test",
        suite="test",
        title="",
        command=(),
        started="",
        seed=1,
        station=lab.info,
        plans=plans,
        trials=trials,
    )
    return judge(run, records), records


@pytest.fixture
def host_snapshot() -> Callable[[], dict[str, str]]:
    """What a run must not change on the host itself."""
    return snapshot


def snapshot() -> dict[str, str]:
    """Interfaces, rules, qdiscs and sysctls of the host's own namespace."""
    from subprocess import run  # noqa: PLC0415

    def said(*command: str) -> str:
        return run(command, capture_output=True, text=True, check=True).stdout

    return {
        "interfaces": said("ip", "-o", "link", "show"),
        "addresses": said("ip", "-o", "addr", "show"),
        "routes": said("ip", "route", "show", "table", "all"),
        "rules": said("nft", "list", "ruleset"),
        "qdiscs": said("tc", "qdisc", "show"),
        "sysctls": "".join(sorted(_sysctls())),
        "namespaces": said("ip", "netns", "list"),
    }


def _sysctls() -> list[str]:
    found = []
    for root in ("net", "kernel", "vm"):
        for path in Path("/proc/sys", root).rglob("*"):
            if path.is_file() and path.name not in MOVING:
                try:
                    found.append(f"{path} {path.read_text()}")
                except OSError:
                    continue
    return found


# Counters and random numbers that change by themselves.
MOVING = {
    "boot_id",
    "entropy_avail",
    "uuid",
    "random",
    "nf_conntrack_count",
    "ns_last_pid",
    "pty",
    "nr",
    "fs-verity",
    "urandom_min_reseed_secs",
}
