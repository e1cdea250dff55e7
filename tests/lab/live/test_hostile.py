# SPDX-License-Identifier: Apache-2.0
"""Flows that want priority and should not have it get what the guards leave them, and no more."""

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import pytest

from gatemark.classifier import shipped
from gatemark.gateway import attached
from gatemark.gateway.attached import Counts, guard
from gatemark.gateway.feature.program.classify import MODEL
from gatemark.plan.model import Arm, Workload
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from lab.live import hostile, seen
from lab.live.scene import Stage
from lab.live.seen import Count
from lab.live.started import until

UP_MBIT: Final = 5.0
LASTS_S: Final = 8.0
PORTS: Final = {"dressed": 9100, "small": 9101, "flows": 9102}
PROBATION: Final = 32_000  # bytes/s of all new flows together
BURST_S: Final = 2.0  # of a bound, at once
ETHERNET: Final = 14

# Others may measure first.
pytestmark = [pytest.mark.long, pytest.mark.timeout(400)]


@dataclass(frozen=True, slots=True)
class Attack:
    """What was forwarded of one attack."""

    forwarded: Count
    sent: int
    ended: Counts


@pytest.fixture(scope="module", params=PORTS)
def attack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Attack:
    with lock.machine(lambda _: None):
        return asyncio.run(_attack(tmp_path_factory.mktemp("hostile"), request.param))


async def _attack(folder: Path, way: str) -> Attack:
    lab = Lab()
    async with Bench(lab) as bench:
        await bench.prepare(msgspec.convert({"path": "nat"}, Arm), Workload(), 0)
        stage = Stage(lab, folder)
        shaper = f"shape:htb2:{UP_MBIT:g}:wan:first=marked"
        await attached.attach(lab.gateway, shipped.path(MODEL), shaper=shaper, apart=lab.lab)
        with stage.running:
            await seen.count(lab.gateway.node, seen.FORWARD, {way: PORTS[way]})
            script, port = str(Path(hostile.__file__)), str(PORTS[way])
            stage.start(stage.wan, sys.executable, script, "serve", port, name="serve")
            until(lambda: "listening" in stage.said("serve"), "the far end")
            words = (way, stage.server, port, f"{LASTS_S:g}")
            stage.start(stage.lan, sys.executable, script, *words, name="send")
            await asyncio.sleep(LASTS_S)
            until(lambda: stage.said("send"), "the attack's end")
            counted = (await seen.counts(lab.gateway.node))[way]
        ended = await attached.detach(lab.gateway, lab.lab)
    return Attack(counted, int(stage.said("send")), ended)


def test_what_goes_first_is_bounded(attack: Attack) -> None:
    assert attack.forwarded.packets > 0.9 * attack.sent > 1000
    # A host's preferred flows may take twice the guard, and new ones share what probation has.
    bound = (2 * guard(1e6 * UP_MBIT) + PROBATION) * (LASTS_S + BURST_S)
    assert attack.forwarded.marked_bytes + ETHERNET * attack.forwarded.marked < bound


def test_the_classifier_says_what_it_saw(attack: Attack) -> None:
    assert attack.ended.seen >= 0.9 * attack.sent
    assert attack.ended.marked >= attack.forwarded.marked
