# SPDX-License-Identifier: Apache-2.0
"""Features on the namespace gateway: packets cross, what is lacking is told, all is given back."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, Literal

import backlog
import pytest

from gatemark.error import UnavailableError
from gatemark.gateway.journal import Journal
from gatemark.gateway.setup import Setup
from gatemark.node.inventory import settings
from gatemark.node.quoted import Script, literal
from gatemark.plan.model import Arm, Workload
from gatemark.plan.order import order
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.station.wiring import Gateway
from gatemark.store.record import Record
from lab.planted import plan

Path_ = Literal["switch", "route", "nat", "endpoint"]
FEW = Workload(rate_pps=2_000, flows=16, duration_s=0.2)
TCP = Workload(kind="tcp", duration_s=0.3)


def arm(path: Path_, *features: str) -> Arm:
    return Arm(path=path, name="arm", features=features)


HERE = [
    arm("route", "conntrack", "notrack"),
    arm("endpoint", "notrack"),
    arm("route", "filter:100:set"),
    arm("nat", "filter:100:map"),
    arm("route", "netfilter-absent"),
    arm("switch", "netfilter-absent"),
    arm("switch", "bridge-netfilter", "filter:10", "conntrack"),
    arm("switch", "snooping:1"),
    arm("route", "xdp"),
    arm("route", "steering:threaded"),
    arm("nat", "steering:one"),
    arm("nat", "gro:list"),
    arm("route", "defer:50"),
    arm("nat", "queue:pfifo"),
    arm("nat", "shape:tbf"),
    arm("switch", "shape:htb:50"),
    arm("nat", "shape:htb2:14.25/90:first=dscp46:docsis:frame"),
    arm("nat", "mss"),
    arm("nat", "masquerade:fully-random"),
    arm("nat", "mtu:1400", "pmtu-silent"),
    arm("nat", "jumbo:9000"),
    arm("nat", "dscp:46"),
    arm("nat", "classify-lite"),
    arm("nat", "dns:dnsmasq", "dhcp:dnsmasq:lease=600:file", "ra:radvd:every=5"),
]
# Of these each change needs two: a way around the kernel, and one through most of its parts.
SHORT = (arm("route", "xdp"), arm("nat", "shape:htb2:14.25/90:first=dscp46:docsis:frame"))
MANY = arm("switch", "bridge-netfilter", "filter:10:map", "shape:htb2", "steering:one")
ELSEWHERE = [
    (arm("route", "filter:9:legacy"), "no iptables-legacy|a namespace keeps an empty table"),
    (arm("route", "offload:software"), "offload:software: .*No such file"),
    (arm("nat", "offload:hardware"), "offload:hardware: .*No such file"),
    (arm("nat", "flow-timeout:10"), "flow-timeout:10: its kernel has no flow table"),
    (arm("route", "shape:fq_codel"), "shape:fq_codel: .*: Specified qdisc kind is unknown"),
    (arm("route", "shape:cake:20"), "shape:cake:20: .*: Specified qdisc kind is unknown"),
    (arm("route", "tunnel:gre"), "tunnel:gre: .*Unknown device type"),
    (arm("route", "tunnel:464xlat"), "tunnel:464xlat translates one address"),
    (arm("route", "steering:softirq"), "steering:softirq: .*the tester's processor"),
    (arm("route", "steering:all"), "steering:all: .*the tester's processor"),
    (arm("route", "gro:udp"), "gro:udp: .*in no other way"),
    (arm("route", "irq:spread"), "irq:spread: (its ports have no interrupts|the gateway has one)"),
    (arm("route", "queue:fq_codel"), "queue:fq_codel: .*: Specified qdisc kind is unknown"),
]


def circled(arms: list[Arm]) -> list[Any]:
    return [pytest.param(arm, marks=() if arm in SHORT else pytest.mark.long) for arm in arms]


class Used:
    """A lab that is up, and the loop that it lives in."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self.runner = runner
        self.lab = Lab()
        self.bench = Bench(self.lab)

    def run(self, what: Coroutine[Any, Any, Any]) -> Any:
        return self.runner.run(what)

    def measure(self, arm: Arm, load: Workload) -> Record:
        spec = order([plan(arm, load)], seed=1)[0]
        with lock.machine(print):
            record, _ = self.run(trial.run(self.bench, spec, lambda *_: None))
        assert isinstance(record, Record)
        return record

    @property
    def lasting(self) -> Gateway:
        """The same gateway as one that outlives a run, with a journal."""
        return replace(self.lab.gateway, journal="root@box")


@pytest.fixture(scope="module")
def used() -> Iterator[Used]:
    recover()
    with asyncio.Runner() as runner:
        used = Used(runner)
        used.run(used.lab.up())
        yield used
        used.run(used.bench.__aexit__(None, None, None))


@pytest.fixture
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


async def state(gateway: Gateway) -> dict[str, str]:
    """All that a run compares of a gateway, and its rules and switches in full."""
    state = await settings(gateway.node, gateway.devices.values())
    state["bridge"] = await gateway.run("sh", "-c", "grep -r . /proc/sys/net/bridge")
    state["links"] = await gateway.run("ip", "-d", "-o", "link", "show")
    state["xtables"] = await gateway.run("cat", "/proc/net/ip_tables_names")
    return state


@asynccontextmanager
async def unchanged(gateway: Gateway) -> AsyncIterator[None]:
    before = await state(gateway)
    yield
    assert await state(gateway) == before


@pytest.mark.parametrize("arm", circled(HERE), ids=lambda arm: arm.setup)
@pytest.mark.usefixtures("_state")
def test_a_feature_is_undone_whole_also_by_who_comes_after_a_crash(used: Used, arm: Arm) -> None:
    async def change() -> None:
        gateway = used.lasting
        async with unchanged(gateway):
            setup = Setup(gateway)
            await setup.begin()
            await setup.change(arm)
            assert await setup.end() == []
            cut = Setup(gateway)
            await cut.begin()
            await cut.change(arm)
            await kill(cut)
            await given_back(gateway)

    used.run(change())


async def given_back(gateway: Gateway) -> None:
    """What the next contact does about what was left."""
    journal = Journal(gateway.journal)
    await journal.open(gateway.node)
    journal.close()


async def kill(setup: Setup) -> None:
    """What is left when the laboratory and its agents are killed, which undo nothing."""
    assert setup.changes.journal is not None
    setup.changes.journal.close()
    for agent in setup.changes.holding:
        os.kill(agent.hello["pid"], signal.SIGKILL)
        await agent.process.wait()


class KilledError(Exception):
    """The laboratory is killed just now."""


def kill_at(setup: Setup, place: int) -> None:
    """Kill it when the undo of a change is kept, and the change not made yet."""
    done, changes = count(), setup.changes

    def until(
        make: Callable[..., Coroutine[Any, Any, None]],
    ) -> Callable[..., Coroutine[Any, Any, None]]:
        async def made(change: Script, undo: Script, **words: str) -> None:
            if next(done) < place:
                return await make(change, undo, **words)
            await make(literal(":"), undo, **words)
            raise KilledError

        return made

    changes.make = until(changes.make)  # type: ignore[method-assign]
    changes.attempt = until(changes.attempt)  # type: ignore[method-assign]


@pytest.mark.long
@pytest.mark.usefixtures("_state")
def test_a_crash_in_the_middle_is_undone_wherever_it_was(used: Used) -> None:
    gateway = used.lasting

    async def crash(place: int) -> bool:
        cut = Setup(gateway)
        assert cut.changes.journal is not None
        await cut.changes.journal.open(gateway.node)
        kill_at(cut, place)
        with suppress(KilledError):
            await cut._apply(MANY, cut._parts(MANY))  # `change` would undo
        crashed = len(cut.changes) == place + 1
        await kill(cut)
        await given_back(gateway)
        return crashed

    async def each() -> None:
        before = await state(gateway)
        for place in count():
            crashed = await crash(place)
            assert await state(gateway) == before
            if not crashed:
                break
        assert place > 4

    used.run(each())


@pytest.mark.long
@pytest.mark.parametrize(("arm", "why"), ELSEWHERE, ids=lambda case: getattr(case, "setup", ""))
def test_what_this_kernel_lacks_is_told_and_nothing_of_it_stays(
    used: Used, arm: Arm, why: str
) -> None:
    async def change() -> None:
        async with unchanged(used.lab.gateway):
            setup = Setup(used.lab.gateway)
            with pytest.raises(UnavailableError, match=why):
                await setup.change(arm)

    used.run(change())


@pytest.mark.parametrize(
    "arm", circled([arm for arm in HERE if arm.path != "endpoint"]), ids=lambda arm: arm.setup
)
def test_packets_cross_each(used: Used, arm: Arm) -> None:
    with backlog.watched() as backlogs:
        record = used.measure(arm, FEW)
    assert (record.status, record.reason) == ("ok", "")
    assert record.accounting is not None
    assert record.accounting.lost <= backlogs.dropped


@pytest.mark.long
def test_what_is_not_tracked_is_in_no_table(used: Used) -> None:
    tracked = "cat /proc/sys/net/netfilter/nf_conntrack_count"
    for features, entries in ((("conntrack",), 16), (("conntrack", "notrack"), 0)):
        used.measure(arm("route", *features), FEW)
        assert int(used.run(used.lab.gateway.run("sh", "-c", tracked))) == entries


def counts_all(forwarded: int, record: Record) -> bool:
    """Whether it may be what the gateway forwarded: all packets, but for those lost beside it.

    A sender that gets its CPU late ends without the last of the 400.
    """
    account = record.accounting
    assert account is not None
    return 300 < account.unique <= forwarded <= account.tried - account.refused


@pytest.mark.long
def test_what_xdp_forwards_is_counted(used: Used) -> None:
    for load in (FEW, TCP):
        record = used.measure(arm("route", "xdp"), load)
        assert (record.status, record.reason) == ("ok", "")
        assert record.values["offloaded_share"] > 0.99
        assert record.evidence.offload["native"] == 1
        forwarded = record.evidence.offload["forwarded"]
        assert forwarded >= 400 if load is TCP else counts_all(forwarded, record)


@pytest.mark.long
def test_xdp_forwards_ipv6(used: Used) -> None:
    record = used.measure(
        arm("route", "xdp"), Workload(rate_pps=2_000, duration_s=0.2, family="ipv6", frame_bytes=80)
    )
    assert counts_all(record.evidence.offload["forwarded"], record)


@pytest.mark.long
def test_shaped_traffic_is_held_to_its_rate(used: Used) -> None:
    load = Workload(rate_pps=4_000, frame_bytes=1518, duration_s=0.5)  # 48 Mbit/s
    record = used.measure(arm("route", "shape:htb:10"), load)
    assert 8e6 < record.values["received_l2_bps"] < 13e6


@pytest.mark.long
@pytest.mark.parametrize("features", [("bridge-netfilter",), ()])
def test_bridged_packets_pass_ips_hooks_where_they_shall(
    used: Used, features: tuple[str, ...]
) -> None:
    gateway = used.lab.gateway
    chain = "add chain inet own f { type filter hook forward priority 0; }"
    try:
        used.run(gateway.run("nft", f"add table inet own; {chain}; add rule inet own f counter"))
        record = used.measure(arm("switch", *features), FEW)
        listed = used.run(gateway.run("nft", "list", "table", "inet", "own"))
        passed = int(listed.partition("counter packets ")[2].split()[0])
        assert counts_all(passed, record) if features else passed == 0
    finally:
        used.run(gateway.run("nft", "delete table inet own"))


@pytest.mark.long
def test_a_hook_that_somebody_uses_is_told(used: Used) -> None:
    async def look() -> None:
        gateway = used.lab.gateway
        await gateway.run("nft", "add table inet own; add chain inet own f { type filter hook "
                          "forward priority 0; }")  # fmt: skip
        try:
            with pytest.raises(UnavailableError, match="chain f of nft at inet forward"):
                await Setup(gateway).change(arm("route", "netfilter-absent"))
        finally:
            await gateway.run("nft", "delete table inet own")

    used.run(look())


@pytest.mark.long
def test_an_owners_qdisc_is_left_alone(used: Used) -> None:
    async def look() -> None:
        gateway = used.lab.gateway
        await used.bench.setup.undo()
        await gateway.run(
            "sh", "-c", "tc qdisc add dev gw1 root tbf rate 9mbit burst 9k latency 9ms"
        )
        try:
            async with unchanged(gateway):
                with pytest.raises(UnavailableError, match="gw1 has a tbf of its owner"):
                    await Setup(gateway).change(arm("route", "shape:htb"))
        finally:
            await gateway.run("tc", "qdisc", "del", "dev", "gw1", "root")

    used.run(look())
