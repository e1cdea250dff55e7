# SPDX-License-Identifier: Apache-2.0
"""A bench is given back whole, and how long its trials take is known before."""

import asyncio
from typing import Any, cast

import pytest

from gatemark.error import NodeError
from gatemark.node.shell import Local
from gatemark.plan.load import load
from gatemark.plan.order import order
from gatemark.run.bench import Bench
from gatemark.run.duration import OVERHEAD_S, PROGRAM_S, estimate_s
from gatemark.station.station import Station
from gatemark.station.wiring import Gateway


class Shed:
    """A station without anything: it only says what became of it."""

    def __init__(self) -> None:
        self.gateway = Gateway(Local(), {})
        self.events: list[str] = []

    async def up(self) -> None:
        self.events.append("up")

    async def down(self) -> None:
        self.events.append("down")


def failing(events: list[str], what: str) -> Any:
    async def fail() -> None:
        events.append(what)
        raise NodeError(f"{what} failed")

    return fail


async def live(shed: Shed, error: type[BaseException] | None = None) -> None:
    async with Bench(cast("Station", shed)) as bench:
        bench.setup.undo = failing(shed.events, "undo")  # type: ignore[method-assign]
        bench.slowdown.release = failing(shed.events, "release")  # type: ignore[method-assign]
        if error:
            raise error


def test_each_part_is_given_back_even_if_another_fails() -> None:
    shed = Shed()
    asyncio.run(live(shed))
    assert shed.events == ["up", "undo", "release", "down"]


@pytest.mark.parametrize("error", [NodeError, KeyError, asyncio.CancelledError])
def test_a_bench_is_given_back_however_the_run_ends(error: type[BaseException]) -> None:
    shed = Shed()
    with pytest.raises(error):
        asyncio.run(live(shed, error))
    assert shed.events[-1] == "down"


def test_an_estimate_counts_each_trial_with_what_it_takes_besides() -> None:
    trials = order(load("quick/speed")[1], 0)
    assert estimate_s(trials) == pytest.approx(len(trials) * (0.2 + OVERHEAD_S))


def test_a_program_beside_a_trial_takes_its_time() -> None:
    trials = order(load("capture/feasibility", variant="short")[1], 0)
    beside = [trial for trial in trials if "capture:" in " ".join(trial.arm.features)]
    assert 0 < len(beside) < len(trials)
    apart = estimate_s(trials) - estimate_s(trial for trial in trials if trial not in beside)
    assert apart > len(beside) * PROGRAM_S
