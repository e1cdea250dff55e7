# SPDX-License-Identifier: Apache-2.0
"""Every script of ours runs where the gateway has a busybox shell and nothing else."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from gatemark.error import NodeError, StationError
from gatemark.gateway.journal import Journal
from gatemark.gateway.setup import Setup
from gatemark.node.inventory import inventory, settings
from gatemark.node.quoted import literal
from gatemark.node.script import script
from gatemark.plan.fact import FACTS
from gatemark.plan.model import Arm
from gatemark.probe import registry
from gatemark.probe.loop import samples
from gatemark.probe.probe import Place, Seen, Sent
from gatemark.probe.reader import Reader
from gatemark.station.mode import Mode
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.station.wiring import Gateway
from gatemark.store.run import UNKNOWN
from lab.gateway.busybox import Busybox, bare

Do = Callable[[Gateway], Awaitable[None]]
FORWARDS = literal("cat /proc/sys/net/ipv4/ip_forward")
FULL = r"cannot be written.*nothing was changed"
ROUTE, SWITCH = Arm(path="route"), Arm(path="switch")
ADDRESS = {"gw1": ["198.18.3.1/24", "2001:2:0:3::1/64"]}


@pytest.fixture
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tester's copies of journals are of this test alone."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """One for all tests here; each gives its gateway back."""
    recover()
    lab = Lab()
    asyncio.run(lab.up())
    yield lab
    asyncio.run(lab.down())


@pytest.fixture
def on_a_box(lab: Lab, tmp_path: Path, _state: None) -> Callable[[Do], None]:
    """Do something to a gateway that is reached through busybox, and outlives a run."""
    node = bare(lab.hosts["gw"].netns, tmp_path / "root")

    async def run(do: Do) -> None:
        await node.run("sh", "-c", "echo 0 > /proc/sys/net/ipv4/ip_forward")
        await do(replace(lab.gateway, node=node, journal="root@box"))

    return lambda do: asyncio.run(run(do))


def journals(gateway: Gateway) -> list[Path]:
    assert isinstance(gateway.node, Busybox)
    return sorted(Path(gateway.node.root, "tmp").glob("gatemark-*"))


@pytest.mark.long
def test_an_inventory_is_taken(on_a_box: Callable[[Do], None]) -> None:
    async def take(gateway: Gateway) -> None:
        facts = (await inventory(gateway.node, gateway.devices.values()))["gateway"]
        assert facts.keys() >= {*FACTS, "kernel", "interfaces", "addresses", "sysctls"}
        assert facts["architecture"] != UNKNOWN
        assert facts["memory"].endswith("iB")
        assert facts["forwarding"].split()[0] == "0"
        assert "198.18.1.1/24" in facts["addresses"]

    on_a_box(take)


@pytest.mark.parametrize(
    "arm", [ROUTE, pytest.param(SWITCH, marks=pytest.mark.long)], ids=lambda arm: arm.setup
)
def test_a_setup_is_undone_whole(on_a_box: Callable[[Do], None], arm: Arm) -> None:
    async def change(gateway: Gateway) -> None:
        gateway = replace(gateway, addresses=ADDRESS)
        setup = Setup(gateway)
        assert await setup.begin() == []
        before = await settings(gateway.node, gateway.devices.values())
        await setup.change(arm)
        during = await settings(gateway.node, gateway.devices.values())
        assert "198.18.3.1/24" in during["addresses"]
        assert during["forwarding"] != before["forwarding"] or arm == SWITCH
        assert ("gmbr0" in during["interfaces"]) is (arm == SWITCH)
        assert len(journals(gateway)) == 1
        assert await setup.end() == []
        assert await settings(gateway.node, gateway.devices.values()) == before
        assert journals(gateway) == []

    on_a_box(change)


@pytest.mark.long
def test_what_somebody_else_changed_is_told(on_a_box: Callable[[Do], None]) -> None:
    async def change(gateway: Gateway) -> None:
        setup = Setup(gateway)
        await setup.begin()
        await setup.change(ROUTE)
        await gateway.run("sh", "-c", "ip link set gw2 mtu 1400")
        (line,) = await setup.end()
        assert line.startswith("the gateway is not as it was: interfaces: ")
        assert "mtu 1500" in line.partition(" became ")[0]
        assert "mtu 1400" in line.partition(" became ")[2]
        await gateway.run("ip", "link", "set", "gw2", "mtu", "1500")

    on_a_box(change)


@pytest.mark.long
@pytest.mark.parametrize("copy", ["device", "tester"])
def test_a_run_that_was_cut_off_is_undone_at_the_next_contact(
    on_a_box: Callable[[Do], None], copy: str
) -> None:
    async def lose(gateway: Gateway) -> None:
        before = await settings(gateway.node, gateway.devices.values())
        cut = Setup(gateway)
        await cut.begin()
        await cut.change(SWITCH)
        assert cut.changes.journal is not None
        cut.changes.journal.close()  # its process has died
        if copy == "device":
            cut.changes.journal.path.unlink()
        else:
            journals(gateway)[0].unlink()
        (line,) = await Setup(gateway).begin()
        assert line == "root@box: undid what a run that was cut off had left set"
        assert await settings(gateway.node, gateway.devices.values()) == before
        assert journals(gateway) == []

    on_a_box(lose)


@pytest.mark.long
def test_a_device_that_restarted_has_nothing_to_undo(on_a_box: Callable[[Do], None]) -> None:
    async def restart(gateway: Gateway) -> None:
        cut = Setup(gateway)
        await cut.begin()
        await cut.change(ROUTE)
        assert cut.changes.journal is not None
        cut.changes.journal.close()
        (kept,) = journals(gateway)
        kept.rename(kept.with_name("gatemark-root@box-another-boot.sh"))
        left = cut.changes.journal.path
        left.write_text(left.read_text().replace(cut.changes.journal.boot, "another-boot"))
        assert await Setup(gateway).begin() == []
        assert (await script(gateway.node, FORWARDS)).strip() == "1"
        assert journals(gateway) == []
        assert not left.exists()

    on_a_box(restart)


@pytest.mark.long
def test_a_setup_is_made_again_after_a_restart(on_a_box: Callable[[Do], None]) -> None:
    async def restart(gateway: Gateway) -> None:
        setup = Setup(gateway)
        await setup.begin()
        await setup.change(ROUTE)
        journal = setup.changes.journal
        assert journal is not None
        journal.boot = "another-boot"
        await gateway.run("sh", "-c", "echo 0 > /proc/sys/net/ipv4/ip_forward")
        await setup.change(ROUTE)
        assert (await script(gateway.node, FORWARDS)).strip() == "1"
        assert await setup.end() == []

    on_a_box(restart)


@pytest.mark.long
@pytest.mark.parametrize("how", ["owner", "link"])
def test_a_script_that_somebody_else_put_there_is_not_run(
    on_a_box: Callable[[Do], None], how: str
) -> None:
    async def plant(gateway: Gateway) -> None:
        journal = Journal("root@box")
        await journal.open(gateway.node)
        planted = Path(gateway.node.root + journal.on_device)  # type: ignore[attr-defined]
        other = planted.with_name("other")
        other.write_text("echo 1 > /proc/sys/net/ipv4/ip_forward")
        if how == "owner":
            other.rename(planted)
            os.chown(planted, 12345, 12345)
        else:
            planted.symlink_to("other")
        journal.close()
        assert await Journal("root@box").open(gateway.node) == ""
        assert (await script(gateway.node, FORWARDS)).strip() == "0"
        assert planted.read_text() == "echo 1 > /proc/sys/net/ipv4/ip_forward"
        with pytest.raises(NodeError, match="another user made it: remove it"):
            await script(gateway.node, journal.keep([literal("true")]))

    on_a_box(plant)


@pytest.mark.long
def test_a_device_is_measured_by_one_run_at_a_time(on_a_box: Callable[[Do], None]) -> None:
    async def both(gateway: Gateway) -> None:
        first = Setup(gateway)
        await first.begin()
        with pytest.raises(StationError, match="root@box: another run measures it"):
            await Setup(gateway).begin()
        await first.end()
        await Journal("root@box").open(gateway.node)

    on_a_box(both)


@pytest.mark.long
def test_a_device_whose_tmp_cannot_be_written_is_not_changed(
    on_a_box: Callable[[Do], None],
) -> None:
    async def fill(gateway: Gateway) -> None:
        setup = Setup(gateway)
        await setup.begin()
        (folder,) = {Path(gateway.node.root, "tmp")}  # type: ignore[attr-defined]
        folder.rmdir()
        with pytest.raises(Exception, match=FULL):
            await setup.change(ROUTE)
        assert (await script(gateway.node, FORWARDS)).strip() == "0"
        folder.mkdir()

    on_a_box(fill)


@pytest.mark.long
def test_without_nft_the_other_arms_go_on(on_a_box: Callable[[Do], None]) -> None:
    async def look(gateway: Gateway) -> None:
        setup = Setup(gateway)
        await setup.begin()
        assert setup.lacks(Arm(path="nat")) == "not available here: no nft on the gateway"
        assert setup.lacks(Arm(path="route", features=("filter:10",))) == setup.lacks(
            Arm(path="nat")
        )
        assert [setup.lacks(arm) for arm in (ROUTE, SWITCH, Arm(path="direct"))] == ["", "", ""]
        await setup.end()

    on_a_box(look)


@pytest.mark.long
def test_a_gateway_that_is_observed_is_not_changed(on_a_box: Callable[[Do], None]) -> None:
    async def look(gateway: Gateway) -> None:
        await gateway.run("sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward")
        before = await settings(gateway.node, gateway.devices.values())
        setup = Setup(replace(gateway, mode=Mode.OBSERVE, addresses=ADDRESS))
        await setup.begin()
        assert setup.lacks(ROUTE) == ""
        assert "is taken as it is, on the path route" in setup.lacks(Arm(path="nat"))
        await setup.change(ROUTE)
        assert await settings(gateway.node, gateway.devices.values()) == before
        assert await setup.end() == []

    on_a_box(look)


async def read_whole(reader: Reader, count: int) -> None:
    """Wait until the shell loop has read so many whole samples."""
    loop = reader._loop
    assert loop is not None
    async with asyncio.timeout(60):
        while True:
            await asyncio.sleep(0.05)
            if len(samples(loop._read)) >= count:
                return


@pytest.mark.long
def test_probes_run_without_an_agent(on_a_box: Callable[[Do], None]) -> None:
    async def probe(gateway: Gateway) -> None:
        use = ("cpu", "softirq", "memory", "interfaces", "temperature")
        place = Place(replace(gateway, agent=False), 0, 2.0)
        reader = Reader(place, registry.asked(use).values())
        await reader.start()
        await read_whole(reader, 3)
        seen = await reader.stop()
        await reader.abort()
        times = seen.watched["t_ns"]
        assert len(times) >= 3 + 1  # the last one as it stops
        # No more is promised: a gateway that has other work to do is later.
        assert all(b - a > 0.9e9 for a, b in pairwise(times[:-1]))
        assert seen.watched["absent"] == []
        assert seen.watched["interfaces"].keys() == set(gateway.devices.values())
        assert len(seen.watched["cpu"]["0"]["idle_ms"]) == len(times)
        sent = Sent(times[0], times[-1], 0.0)
        memory = registry.outcomes(Seen(seen.watched), sent).evidence["memory"]
        assert 0 < memory["available_bytes"] < memory["total_bytes"]
        assert seen.watched["cpu_over_ns"] > 0

    on_a_box(probe)
