# SPDX-License-Identifier: Apache-2.0
"""A classifier that is attached to stay, on a gateway of a lab: it marks, and leaves no trace."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from gatemark.classifier import shipped
from gatemark.error import StationError
from gatemark.gateway import attached
from gatemark.node import leftover
from gatemark.node.leftover import ATTACHED, ATTACHED_PLACES
from gatemark.node.quoted import literal, sh
from gatemark.plan.model import Arm, Workload
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.wiring import Gateway

MODEL = shipped.path("real-time")
SHAPER = "shape:htb2:20:wan:first=marked"
STATE = literal(
    "nft list ruleset; tc qdisc show; ls /sys/fs/bpf 2>&1; for d in gw0 gw1; do "
    "tc filter show dev $d ingress; tc filter show dev $d egress; done"
)


@asynccontextmanager
async def opened() -> AsyncIterator[tuple[Gateway, str]]:
    lab = Lab()
    async with Bench(lab) as bench:
        await bench.prepare(msgspec.convert({"path": "nat"}, Arm), Workload(), 0)
        yield lab.gateway, lab.lab


def on_lab(check: Callable[[Gateway, str], Awaitable[None]]) -> None:
    async def work() -> None:
        async with opened() as (gateway, lab):
            before = await gateway.run(*sh(STATE))
            await check(gateway, lab)
            assert await gone(lab)
            assert await gateway.run(*sh(STATE)) == before

    with lock.machine(lambda _: None):
        asyncio.run(work())


def folders(lab: str) -> list[Path]:
    return [folder for place in ATTACHED_PLACES if (folder := place / f"{ATTACHED}-{lab}").exists()]


async def gone(lab: str) -> bool:
    for _ in range(100):
        if not folders(lab):
            return True
        await asyncio.sleep(0.1)
    return False


def test_what_is_attached_is_there_once_and_goes_by_detach() -> None:
    async def check(gateway: Gateway, lab: str) -> None:
        made = await attached.attach(gateway, MODEL, shaper=SHAPER, apart=lab)
        assert [Path(made.folder)] == folders(lab)
        state = await gateway.run(*sh(STATE))
        assert "meta mark & 0x000000f0 == 0x00000030" in state
        assert "htb 676d:" in state
        with pytest.raises(StationError, match="a classifier is attached already"):
            await attached.attach(gateway, MODEL, apart=lab)
        await attached.detach(gateway, lab)
        assert folders(lab) == []
        with pytest.raises(StationError, match="no classifier is attached"):
            await attached.detach(gateway, lab)

    on_lab(check)


@pytest.mark.long
def test_one_that_is_killed_leaves_nothing() -> None:
    async def check(gateway: Gateway, lab: str) -> None:
        made = await attached.attach(gateway, MODEL, shaper=SHAPER, slides=True, apart=lab)
        os.kill(int((Path(made.folder) / "pid").read_text()), signal.SIGKILL)

    on_lab(check)


@pytest.mark.long
def test_a_model_that_is_refused_leaves_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "bad.c45"
    bad.write_text("classes other realtime\nattributes mean.plen\nn_0 a_9 r c_0 1 c_0 c_1\n")

    async def check(gateway: Gateway, lab: str) -> None:
        with pytest.raises(StationError, match="a_9"):
            await attached.attach(gateway, bad, shaper=SHAPER, apart=lab)

    on_lab(check)


@pytest.mark.long
def test_a_lab_that_goes_takes_it_along() -> None:
    async def attach() -> str:
        async with opened() as (gateway, lab):
            await attached.attach(gateway, MODEL, shaper=SHAPER, apart=lab)
            assert folders(lab)
            return lab

    with lock.machine(lambda _: None):
        lab = asyncio.run(attach())
    leftover.forget(lab)
    assert folders(lab) == []
