# SPDX-License-Identifier: Apache-2.0
"""The lease of a box of busybox and dropbear: all that we changed there goes when we are silent."""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from gatemark.error import NodeError, StationError
from gatemark.gateway.program import Program
from gatemark.gateway.supervisor import Supervised
from gatemark.node.agent import Agent
from gatemark.node.quoted import literal
from gatemark.node.remote import lease
from gatemark.node.remote.ssh import Ssh
from gatemark.station.lent.borrowed import Borrowed
from lab.station.device import Desk, desk

LEASE_S = 2
WORKS = Program("command:test", ("sh", "-c", "echo at work; exec sleep 4321"), ready="at work")
CLEAN = "ls /tmp; ps | grep -c 'sleep [4]321'"
PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    if os.geteuid() != 0:
        pytest.skip("needs root: namespaces with their own CPU")
    with desk(tmp_path_factory.mktemp("desk")) as made:
        yield made


def run(do: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(do(), 2 * PATIENCE_S))


def host_of(bench: Desk, lease_s: int = 0, jump: bool = False) -> Ssh:
    return Ssh("gateway", bench.login(jump=jump, lease_s=lease_s), namespace=bench.tester)


async def busy(bench: Desk, jump: bool = False) -> Ssh:
    """A box that is held, with all that we leave to itself there: a shell, an agent, a program."""
    host = host_of(bench, LEASE_S, jump)
    await host.connect()
    await Borrowed.take(host, [literal("echo > /tmp/changed")], [literal("rm /tmp/changed")])
    await Agent.launch(host, "watch", {"interval_ms": 50, "samples": 9999, "what": ["cpu"]})
    await Supervised.start(host, WORKS)
    boot = (await host.run("cat", "/proc/sys/kernel/random/boot_id")).strip()
    script = f"/tmp/gatemark-root@box-{boot}.sh"  # noqa: S108 (the box's)
    await host.run("sh", "-c", f"umask 077; echo 'rm /tmp/set' > {script}; echo > /tmp/set")
    return host


async def given_back(bench: Desk) -> float:
    """Wait until nothing of ours is on the box, but the script that says so; s that it took."""
    host, began = host_of(bench), time.monotonic()
    while True:
        try:
            await host.connect()
            text = await host.run("sh", "-c", f"{CLEAN} || true")
            left = [line for line in text.split() if line != "pid"]
            if len(left) == 2 and left[0].startswith("gatemark-root@box-") and left[1] == "0":
                return time.monotonic() - began
        except NodeError:  # deaf
            left = ["not reached"]
        finally:
            await host.close()
        assert time.monotonic() - began < PATIENCE_S, left
        await asyncio.sleep(0.2)


async def clear(bench: Desk) -> None:
    host = host_of(bench)
    await host.connect()
    await host.run("sh", "-c", "rm -f /tmp/gatemark-*.sh")
    await host.close()


async def lost_by_silence(bench: Desk) -> None:
    """A laboratory that is stopped loses the box, and learns it."""
    host = await busy(bench)
    assert host._lease
    host._lease._renewing.cancel()
    await given_back(bench)
    assert host.lost.startswith("it was not renewed for its lease of 2 s")
    with pytest.raises(NodeError, match=r"^gateway: it was not renewed for its lease of 2 s"):
        await host.run("true")
    await host.close()
    await clear(bench)


@pytest.mark.long
def test_a_silent_laboratory_loses_the_box_and_learns_it(bench: Desk) -> None:
    run(lambda: lost_by_silence(bench))


@pytest.mark.long
def test_a_login_that_may_not_end_its_server_ends_what_it_runs(
    bench: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = lease.shell_script().replace("end_server() {", "end_server() {\n\treturn")
    monkeypatch.setattr(lease, "shell_script", lambda: text)
    run(lambda: lost_by_silence(bench))


@pytest.mark.long
@pytest.mark.parametrize("jump", [False, True], ids=["straight", "by a jump host"])
def test_a_box_whose_cable_is_cut_gives_itself_back(bench: Desk, jump: bool) -> None:
    async def do() -> None:
        host = await busy(bench, jump=jump)
        bench.device.deaf()
        try:
            await asyncio.sleep(LEASE_S + 4)
        finally:
            bench.device.hearing()
        await given_back(bench)
        await host.close()
        await clear(bench)

    run(do)


@pytest.mark.long
def test_a_killed_keeper_is_replaced_by_the_next_laboratory(
    bench: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def do() -> None:
        host = await busy(bench)
        assert host._lease
        await host.run("kill", "-9", host._lease.process.pid)  # type: ignore[attr-defined]
        await asyncio.sleep(0.5)
        assert "what kept its lease was killed there" in host.lost
        monkeypatch.setattr(lease, "own_process", lambda: "elsewhere/pid:[1]/1:1")
        other = host_of(bench, 60)
        await other.connect()
        assert other.note.startswith("gateway: taken over from ")
        assert "changed" not in await other.run("ls", "/tmp")  # noqa: S108
        await other.close()
        await given_back(bench)
        await host.close()
        await clear(bench)

    run(do)


@pytest.mark.long
def test_a_second_laboratory_leaves_no_trace(bench: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def do() -> None:
        host = host_of(bench, 60)
        await host.connect()
        before = await host.run("sh", "-c", "find /tmp; cat /tmp/gatemark-lease-*/*/who")
        monkeypatch.setattr(lease, "own_process", lambda: "elsewhere/pid:[1]/1:1")
        with pytest.raises(StationError, match=r"^gateway: in use by .* since .*FILE`$"):
            await host_of(bench, 60).connect()
        assert await host.run("sh", "-c", "find /tmp; cat /tmp/gatemark-lease-*/*/who") == before
        await host.close()

    run(do)
