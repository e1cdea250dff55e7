# SPDX-License-Identifier: Apache-2.0
"""Setups on the real gateway: each does what it says, and gives it back as it was."""

import asyncio
from collections.abc import Awaitable, Callable

import backlog
import pytest

from gatemark.gateway.setup import Setup
from gatemark.plan.model import Arm, Workload
from gatemark.run.bench import Bench
from gatemark.station.demand import Demand
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from lab.planted import measure, plan

ARMS = [
    Arm(path="switch"),
    Arm(path="route"),
    Arm(path="nat"),
    Arm(path="route", features=("conntrack",)),
    Arm(path="nat", features=("filter:100", "conntrack")),
    Arm(path="endpoint", features=("conntrack", "filter:3")),
]
PORTS = "cat /sys/class/net/lan0/queues/rx-0/rps_cpus; ethtool -k lan9 | grep -E '^(tcp|gene)'"
STATE = "nft list ruleset; ip -o link show; ip -o addr show; sysctl net.ipv4.ip_forward"


def in_a_lab(do: Callable[[Bench], Awaitable[None]], lab: Lab | None = None) -> None:
    async def run() -> None:
        recover()
        async with Bench(lab or Lab()) as bench:
            await do(bench)

    asyncio.run(run())


@pytest.mark.parametrize("arm", ARMS, ids=lambda arm: arm.setup)
def test_a_setup_is_undone_whole(arm: Arm) -> None:
    async def compare(bench: Bench) -> None:
        gateway = bench.station.gateway
        before = await gateway.run("sh", "-c", STATE)
        setup = Setup(gateway)
        await setup.change(arm)
        during = await gateway.run("sh", "-c", STATE)
        await setup.undo()
        assert await gateway.run("sh", "-c", STATE) == before
        assert (during == before) is (arm.setup == "route")

    in_a_lab(compare)


def test_filter_has_as_many_rules_as_it_says() -> None:
    async def count(bench: Bench) -> None:
        await bench.setup.change(Arm(path="endpoint", features=("filter:25",)))
        rules = await bench.station.gateway.run("nft", "list", "table", "inet", "gatemark_filter")
        assert rules.count("drop") == 2 * 25  # what comes in and what goes out

    in_a_lab(count)


def test_no_rule_of_the_filter_matches() -> None:
    load = Workload(rate_pps=3_000, flows=64, duration_s=0.3)
    with backlog.watched() as backlogs:
        _, (record, _probed) = measure(plan(Arm(path="nat", features=("filter:10000",)), load))
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.lost <= backlogs.dropped


@pytest.mark.parametrize(("features", "tracked"), [((), 0), (("conntrack",), 64)])
def test_conntrack_tracks_every_flow(features: tuple[str, ...], tracked: int) -> None:
    load = Workload(rate_pps=3_000, flows=64, duration_s=0.3)
    arm = Arm(path="route", name="route", features=features)
    _, (_, instrumented) = measure(plan(arm, load))
    assert instrumented.evidence.conntrack["entries"] == tracked


@pytest.mark.parametrize(
    ("feature", "why"),
    [
        ("vlan", "no VLAN on gw1: has its kernel 8021q?"),
        ("pppoe", "a tunnel's far end is made in virtual gateways alone"),
        ("wireguard", "a tunnel's far end is made in virtual gateways alone"),
    ],
)
def test_what_this_machines_kernel_lacks_is_skipped_with_the_reason(feature: str, why: str) -> None:
    """Where its kernel has VLANs, the lab has them too."""
    load = Workload(rate_pps=3_000, flows=4, duration_s=0.1)
    _, (record, _probed) = measure(plan(Arm(path="route", features=(feature,)), load))
    if (feature, record.status) != ("vlan", "ok"):
        assert record.reason.startswith(f"not available here: {feature}: {why}")
        assert record.status == "skipped"


def test_a_setup_that_fails_halfway_is_undone() -> None:
    async def fail(bench: Bench) -> None:
        gateway = bench.station.gateway
        before = await gateway.run("nft", "list", "ruleset")
        await gateway.run("nft", "add table inet gatemark_filter; add chain inet gatemark_filter f")
        await gateway.run(
            "nft", "add", "chain inet gatemark_filter forward { type nat hook input priority 0; }"
        )
        with pytest.raises(Exception, match="nft"):
            await bench.setup.change(Arm(path="nat", features=("conntrack", "filter:1")))
        await gateway.run("nft", "delete table inet gatemark_filter")
        assert await gateway.run("nft", "list", "ruleset") == before

    in_a_lab(fail)


def test_threads_share_their_cpu_with_the_gateways_program_alone() -> None:
    lab = Lab()

    async def look(_: Bench) -> None:
        await lab.meet(Demand(shared=True))
        assert all(made.sound(shared=True) for made in lab.threads.values())
        await lab.meet(Demand())
        assert all(made.sound(shared=False) for made in lab.threads.values())

    in_a_lab(look, lab)


@pytest.mark.parametrize("demand", [Demand(steered=True, offload=True), Demand(relieved=True)])
def test_what_a_trial_demands_is_given_back(demand: Demand) -> None:
    lab = Lab()
    lan = lab.hosts["lan"]

    async def look(_: Bench) -> None:
        before = await lan.run("sh", "-c", PORTS)
        await lab.meet(demand)
        during = await lan.run("sh", "-c", PORTS)
        await lab.meet(Demand())
        assert during != before
        assert await lan.run("sh", "-c", PORTS) == before

    in_a_lab(look, lab)
