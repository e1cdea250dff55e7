# SPDX-License-Identifier: Apache-2.0
"""Setups on the real gateway: each does what it says, and gives it back as it was."""

import asyncio
import re
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import Any

import backlog
import pytest
from msgspec.structs import replace

from gatemark.gateway.setup import Setup
from gatemark.plan.model import Arm, Probe, Workload
from gatemark.run import bench as bench_module
from gatemark.run.bench import Bench
from gatemark.station.demand import Demand
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from lab.planted import measure, measure_each, plan

ARMS = [
    Arm(path="switch"),
    Arm(path="route"),
    Arm(path="nat"),
    Arm(path="route", features=("conntrack",)),
    Arm(path="nat", features=("filter:100", "conntrack")),
    Arm(path="endpoint", features=("conntrack", "filter:3")),
]
TABLE = Probe(use=("conntrack",))
FAR_END = "a tunnel's far end is made in virtual gateways alone"
LACKING = {
    "vlan": "no VLAN on gw1: has its kernel 8021q?",
    "pppoe": FAR_END,
    "wireguard": FAR_END,
}
PORTS = "cat /sys/class/net/lan0/queues/rx-0/rps_cpus; ethtool -k lan9 | grep -E '^(tcp|gene)'"
OTHERS = """
table ip box {
  ct timeout quick { protocol tcp; l3proto ip; policy = { established : 33, close : 2 }; }
  set known { type ipv4_addr; flags interval; auto-merge; elements = { 10.0.0.0/24, 10.0.1.0/24 }; }
  set seen { type ipv4_addr; size 64; flags dynamic,timeout; timeout 1m; }
  chain away { accept; }
  map ways { type ipv4_addr : verdict; elements = { 10.0.0.1 : jump away }; }
  chain first { type filter hook forward priority 5; ip saddr vmap @ways; }
}
"""
STATE = "nft list ruleset; ip -o link show; ip -o addr show; sysctl net.ipv4.ip_forward"


@dataclass(frozen=True)
class Stage:
    """A lab that is up, and the loop that it lives in."""

    runner: asyncio.Runner
    bench: Bench
    lab: Lab

    def run(self, what: Coroutine[Any, Any, None]) -> None:
        self.runner.run(what)


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    """One for all; each test gives its gateway back."""
    recover()
    with asyncio.Runner() as runner:
        lab = Lab()
        runner.run(lab.up())
        made = Stage(runner, Bench(lab), lab)
        yield made
        runner.run(made.bench.__aexit__(None, None, None))


def test_a_setup_is_undone_whole(stage: Stage) -> None:
    gateway = stage.lab.gateway

    async def compare() -> None:
        before = await gateway.run("sh", "-c", STATE)
        for arm in ARMS:
            setup = Setup(gateway)
            await setup.change(arm)
            during = await gateway.run("sh", "-c", STATE)
            await setup.undo()
            assert await gateway.run("sh", "-c", STATE) == before, arm.setup
            assert (during == before) is (arm.setup == "route"), arm.setup

    stage.run(compare())


def test_rules_of_others_that_nft_loses_in_json_stay(stage: Stage) -> None:
    """A merging set, a map of jumps and a `ct timeout`: rules go and come as text, by table."""
    gateway = stage.lab.gateway

    async def compare() -> None:
        await gateway.run("nft", "-f", "-", stdin=OTHERS)
        before = await gateway.run("sh", "-c", STATE)
        for arm in ARMS:
            setup = Setup(gateway)
            await setup.change(arm)
            await setup.undo()
            assert await gateway.run("sh", "-c", STATE) == before, arm.setup
        await gateway.run("nft", "delete", "table", "ip", "box")

    stage.run(compare())


def test_a_setup_is_the_same_after_any_other(stage: Stage) -> None:
    """It keeps what the one before had in common."""
    gateway = stage.lab.gateway

    async def state() -> str:
        return re.sub(r"(?m)^\d+: ", "", await gateway.run("sh", "-c", STATE))

    async def compare() -> None:
        alone = {}
        for arm in ARMS:
            setup = Setup(gateway)
            await setup.change(arm)
            alone[arm] = await state()
            await setup.undo()
        setup = Setup(gateway)
        for arm in (*ARMS, *reversed(ARMS)):
            await setup.change(arm)
            assert await state() == alone[arm], arm.setup
        await setup.undo()

    stage.run(compare())


@pytest.mark.long
def test_filter_has_as_many_rules_as_it_says(stage: Stage) -> None:
    async def count() -> None:
        setup = Setup(stage.lab.gateway)
        await setup.change(Arm(path="endpoint", features=("filter:25",)))
        rules = await stage.lab.gateway.run("nft", "list", "table", "inet", "gatemark_filter")
        await setup.undo()
        assert rules.count("drop") == 2 * 25  # what comes in and what goes out

    stage.run(count())


@pytest.mark.long
def test_no_rule_of_the_filter_matches() -> None:
    load = Workload(rate_pps=3_000, flows=64, duration_s=0.3)
    arm = Arm(path="nat", features=("filter:10000",))
    with backlog.watched() as backlogs:
        record = measure_each({"filter": plan(arm, load)})["filter"]
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.lost <= backlogs.dropped


@pytest.mark.long
def test_conntrack_tracks_every_flow() -> None:
    load = Workload(rate_pps=3_000, flows=64, duration_s=0.3)
    tracked = {"none": ((), 0), "all": (("conntrack",), 64)}
    plans = [
        replace(plan(Arm(path="route", name="r", features=features), load, name=name), probe=TABLE)
        for name, (features, _) in tracked.items()
    ]
    _, records = measure(*plans)
    told = {r.plan: r.evidence.conntrack["entries"] for r in records if r.pass_ == "instrumented"}
    assert told == {name: entries for name, (_, entries) in tracked.items()}


@pytest.mark.long
def test_what_this_machines_kernel_lacks_is_skipped_with_the_reason() -> None:
    """Where its kernel has VLANs, the lab has them too."""
    load = Workload(rate_pps=3_000, flows=4, duration_s=0.1)
    asked = {feature: plan(Arm(path="route", features=(feature,)), load) for feature in LACKING}
    for feature, record in measure_each(asked).items():
        if (feature, record.status) != ("vlan", "ok"):
            why = f"not available here: {feature}: {LACKING[feature]}"
            assert record.reason.startswith(why), feature
            assert record.status == "skipped", feature


@pytest.mark.long
def test_a_setup_that_fails_halfway_is_undone(stage: Stage) -> None:
    async def fail() -> None:
        gateway = stage.lab.gateway
        before = await gateway.run("nft", "list", "ruleset")
        await gateway.run("nft", "add table inet gatemark_filter; add chain inet gatemark_filter f")
        await gateway.run(
            "nft", "add", "chain inet gatemark_filter forward { type nat hook input priority 0; }"
        )
        with pytest.raises(Exception, match="there already"):
            await stage.bench.setup.change(Arm(path="nat", features=("conntrack", "filter:1")))
        await gateway.run("nft", "delete table inet gatemark_filter")
        assert await gateway.run("nft", "list", "ruleset") == before

    stage.run(fail())


@pytest.mark.long
def test_threads_share_their_cpu_with_the_gateways_program_alone(stage: Stage) -> None:
    lab = stage.lab

    async def look() -> None:
        await lab.meet(Demand(shared=True))
        assert all(made.sound(shared=True) for made in lab.threads.values())
        await lab.meet(Demand())
        assert all(made.sound(shared=False) for made in lab.threads.values())

    stage.run(look())


def test_the_testers_own_cable_stays_as_it_is_while_nothing_crosses_it(stage: Stage) -> None:
    lab = stage.lab

    async def look() -> None:
        await lab.meet(Demand(relieved=True))
        threads = [*lab.cable.relief]
        await lab.meet(Demand())
        assert [*lab.cable.relief] == threads
        assert all(made.sound() for made in threads)

    stage.run(look())


@pytest.mark.parametrize(("arm", "waits"), [(Arm(path="nat"), False), (Arm(path="switch"), True)])
def test_a_change_is_waited_for_where_it_may_send(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, arm: Arm, waits: bool
) -> None:
    """Rules send nothing; a bridge is in groups that no port was in."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    async def change() -> None:
        await stage.bench.prepare(Arm(path="route"), Workload(), 0)
        monkeypatch.setattr(bench_module, "sleep", sleep)
        await stage.bench.prepare(arm, Workload(), 0)

    stage.run(change())
    assert bool(slept) == waits


@pytest.mark.long
@pytest.mark.parametrize("demand", [Demand(steered=True, offload=True), Demand(relieved=True)])
def test_what_a_trial_demands_is_given_back(stage: Stage, demand: Demand) -> None:
    lab, lan = stage.lab, stage.lab.hosts["lan"]

    async def look() -> None:
        await lab.meet(Demand(relieved=False))
        before = await lan.run("sh", "-c", PORTS)
        await lab.meet(demand)
        during = await lan.run("sh", "-c", PORTS)
        await lab.meet(Demand(relieved=False))
        assert during != before
        assert await lan.run("sh", "-c", PORTS) == before

    stage.run(look())
