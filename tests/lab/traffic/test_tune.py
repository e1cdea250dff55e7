# SPDX-License-Identifier: Apache-2.0
"""Lines that `gatemark tune` says to type do what was measured; a search ends with an answer."""

import asyncio
import json
import re
from pathlib import Path

import pytest
from command import gatemark

from gatemark.node.inventory import settings
from gatemark.node.quoted import Script, joined, literal, sh
from gatemark.plan.model import Arm
from gatemark.plan.tuning.grid import LAB
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.netns import Lab
from gatemark.station.wiring import Gateway
from gatemark.tell.verb.typing import lines

TIMERS = literal(
    "cd /sys/class/net; for f in gw?/gro_flush_timeout gw?/napi_defer_hard_irqs; "
    "do echo $f $(cat $f); done"
)
HANDLE = re.compile(r"(qdisc \S+ )\S+ ")  # tc gives one where none is asked for


async def state(gateway: Gateway) -> dict[str, str]:
    known = await settings(gateway.node, gateway.devices.values())
    known["qdiscs"] = HANDLE.sub(r"\1", known.get("qdiscs", ""))
    return known | {"timers": await gateway.run(*sh(TIMERS))}


async def both() -> dict[str, tuple[dict[str, str], dict[str, str], dict[str, str]]]:
    """As it is, with a setting as it was measured, and with its lines typed; by setting."""
    seen = {}
    async with lock.meanwhile(lambda _: None), Bench(Lab()) as bench:
        gateway = bench.station.gateway
        for setting in (each for axis in LAB for each in axis):
            await bench.setup.change(Arm(path="nat"))
            before = await state(gateway)
            await bench.setup.change(Arm(path="nat", features=(setting,)))
            measured = await state(gateway)
            await bench.setup.change(Arm(path="nat"))
            ports = [gateway.devices[role] for role in ("gw0", "gw1")]
            typed = lines([setting], ports, openwrt=False)
            await gateway.run(*sh(joined(Script(line) for line in typed)))
            seen[setting] = before, measured, await state(gateway)
            await _undo(gateway, setting, ports)
    return seen


async def _undo(gateway: Gateway, setting: str, ports: list[str]) -> None:
    """Take back what was typed, so that the next one begins as this one did."""
    undo = {
        "gro": "ethtool -K {} rx-gro-list off tx-gso-list on",
        "defer": "echo 0 > /sys/class/net/{0}/gro_flush_timeout; "
        "echo 0 > /sys/class/net/{0}/napi_defer_hard_irqs",
        "queue": "tc qdisc del dev {} root",
    }[setting.partition(":")[0]]
    await gateway.run(*sh(joined(Script(undo.format(port)) for port in ports)))


def test_lines_that_are_typed_set_what_was_measured() -> None:
    for setting, (before, measured, typed) in asyncio.run(both()).items():
        assert measured != before, setting
        assert typed == measured, setting


@pytest.mark.long
@pytest.mark.timeout(900)  # some fifty trials
def test_a_search_ends_with_an_answer(tmp_path: Path) -> None:
    words = ["tune", "nat", "--axis", "gro:list", "--set", "workload.duration_s=0.1"]
    words += ["--set", "workload.flows=4", "--seed", "1", "--json", "--out", str(tmp_path / "run")]
    done = gatemark(*words)
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    assert answer["combinations"] == 2
    assert (answer["advice"] == "set") is bool(answer["lines"])
    again = gatemark("tune", "--resume", str(tmp_path / "run"), "--json")
    assert json.loads(again.out) == answer
    assert gatemark("run", "--resume", str(tmp_path / "run")).code == 2


def test_what_cannot_be_searched_is_refused_in_a_line() -> None:
    for words, why in (
        (["--axis", "gro:list,"], "settings between commas"),
        (["--axis", "gro:much"], "write gro:HOW"),
        (["--prefer", "luck"], "--prefer"),
        (["--least", "much"], "--least much"),
        (["--plan", "quick/sweep"], "rate_pps"),
        (["--plan", "quick"], "name one of its plans"),
        (["--resume", "nowhere"], "nowhere"),
    ):
        done = gatemark("tune", "nat", *words)
        assert (done.code, done.out) == (2, ""), words
        assert why in done.err, done.err
        assert len(done.err.splitlines()) == 1
