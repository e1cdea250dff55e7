# SPDX-License-Identifier: Apache-2.0
"""The soak's turns as a load: what is missing against a CPU at rest."""

import asyncio
from dataclasses import replace

import pytest

from gatemark.node.shell import Local
from gatemark.probe.kind.cpu import cpu_inside
from gatemark.probe.kind.soak import Soak, at_rest, cpu_soaked, taken_at_rest
from gatemark.probe.probe import Place
from gatemark.station.wiring import Gateway

MS = 1_000_000
TIMES = [at * 50 * MS for at in range(-10, 21)]  # half a second of rest, a second of load
GATEWAY = Gateway(Local("gateway"), {})


def turns(share: float) -> list[int]:
    """100 000 turns a second at rest, that share of it under load."""
    counts = [0]
    for at in TIMES[1:]:
        counts.append(counts[-1] + round(5_000 * (share if at > 0 else 1.0)))
    return counts


@pytest.mark.parametrize("busy", [0.0, 0.25, 0.999])
def test_what_a_loop_lacks_is_the_load(busy: float) -> None:
    report = {"t_ns": TIMES, "turns": {"1": turns(1 - busy)}}
    (reading,) = cpu_soaked(report, 0, 1000 * MS, 1000.0)
    assert reading.cpu == 1
    assert reading.busy == pytest.approx(busy, abs=0.001)


def test_a_hiccup_at_rest_is_no_measure_of_rest() -> None:
    steady = turns(1.0)
    slowed = [count - 4_000 * (at >= 5) for at, count in enumerate(steady)]
    assert at_rest(TIMES, slowed, 0) == pytest.approx(at_rest(TIMES, steady, 0))


def test_without_rest_nothing_is_reported() -> None:
    report = {"t_ns": TIMES, "turns": {"1": turns(0.5)}}
    assert cpu_soaked(report, TIMES[0], 1000 * MS, 1000.0) == ()
    assert cpu_soaked({}, 0, 1000 * MS, 1000.0) == ()


@pytest.mark.parametrize(("soaked", "busy"), [(True, 0.25), (False, 1.0)])
def test_ticks_book_the_loops_as_nice(soaked: bool, busy: float) -> None:
    columns = {"softirq_ms": [0, 250], "nice_ms": [0, 750], "idle_ms": [0, 0], "steal_ms": [0, 0]}
    report = {"t_ns": [0, 1000 * MS], "cpu": {"1": columns}}
    (reading,) = cpu_inside(report, None, 0, 1000 * MS, 1.0, soaked=soaked)
    assert reading.busy == pytest.approx(busy)


@pytest.mark.parametrize(
    ("gateway", "own", "why"),
    [
        (replace(GATEWAY, agent=False), None, "no agent may run on the gateway"),
        (GATEWAY, frozenset[int](), "the gateway has no CPU of its own"),
    ],
)
def test_where_it_cannot_be_had_it_says_why(
    gateway: Gateway, own: frozenset[int] | None, why: str
) -> None:
    async def note() -> object:
        soak = Soak(Place(gateway, 0, 1.0, own))
        await soak.start()
        return await soak.stop()

    assert asyncio.run(note()) == f"probe soak: not available here: {why}"


@pytest.mark.parametrize(("others", "taken"), [(0, []), (80, []), (150, ["cpu1"])])
def test_a_rest_that_others_had_is_none(others: int, taken: list[str]) -> None:
    """Half a second of rest, of which others took so many ms; the loops' own time is nice."""
    steps = range(6)
    columns = {
        "user_ms": [others * at / 5 for at in steps],
        "nice_ms": [(500 - others) * at / 5 for at in steps],
        "idle_ms": [0 for _ in steps],
    }
    watched = {"t_ns": [(at * 100 - 500) * MS for at in steps], "cpu": {"1": columns}}
    report = {"t_ns": TIMES, "turns": {"1": turns(0.5)}}
    assert taken_at_rest(watched, report, 0) == taken
    assert taken_at_rest({}, report, 0) == []
