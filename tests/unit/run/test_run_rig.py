# SPDX-License-Identifier: Apache-2.0
"""Which bench stands for which trial, and in which order benches, commands and reboots come."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from gatemark.error import GatemarkError, NodeError
from gatemark.node.shell import Local
from gatemark.plan.ab import versus
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat, TrialSpec
from gatemark.plan.order import order
from gatemark.run import rig as module
from gatemark.run.rig import Rig, boot_for_resets
from gatemark.station.station import Station
from gatemark.station.wiring import Gateway
from gatemark.store.folder import Folder

PLAN = Plan(
    schema=PLAN_SCHEMA,
    title="",
    why="",
    reading="",
    name="s/p",
    arm=(Arm(path="direct", name="tester alone"), Arm(path="route", name="route")),
    repeat=Repeat(times=2, boots=2),
)
ROUTE = Arm(path="route")
IN_TURNS = Repeat(times=2, boots=2, turn_ms=20.0)


def booted() -> tuple[TrialSpec, ...]:
    """Two boots of either arm."""
    return order([versus(PLAN, ROUTE, ROUTE, 2)], seed=1)


def plain() -> tuple[TrialSpec, ...]:
    """Without boots."""
    return order([replace(PLAN, repeat=Repeat(times=2))], seed=1)


def boots_of(trials: Sequence[TrialSpec]) -> list[tuple[str, int]]:
    """Arms and their boots, in order."""
    return list(dict.fromkeys((spec.arm.name, spec.boot) for spec in trials if spec.boot))


class Quiet(Local):
    """A gateway that has nothing to tell."""

    async def run(self, *command: str, stdin: str = "") -> str:
        del command, stdin
        return ""


class Shed:
    """A station without anything: it only says what became of it."""

    def __init__(self, events: list[str], name: str = "shed", *, lasts: bool = False) -> None:
        self.name = name
        self.gateway = Gateway(Quiet(), {})
        self.events = events
        self.late = 0  # so many times it is not reached yet
        self.lasts = lasts
        self.others: list[Shed] = []  # what stands beside it when it is asked for
        self.boots_each = False

    def boot_each(self) -> None:
        self.boots_each = True

    def another(self) -> "Shed | None":
        return self.others.pop(0) if self.others else None

    async def up(self) -> None:
        if self.late:
            self.late -= 1
            raise NodeError("not reached")
        self.events.append(f"up {self.name}")

    async def down(self) -> None:
        self.events.append(f"down {self.name}")

    async def restart(self) -> str:
        self.events.append("restart")
        return "restarted"


@pytest.fixture(autouse=True)
def _sheds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shed that lasts has no journal, and nobody waits for it."""
    monkeypatch.setattr(module, "AGAIN_S", 0.0)
    monkeypatch.setattr(module, "_lasts", lambda shed: shed.lasts)


def turned(
    shed: Shed,
    trials: Sequence[TrialSpec],
    folder: Path,
    command: str = "",
    others: dict[str, Shed] | None = None,
) -> list[str]:
    """What comes of measuring these trials: each is an event, as is what the stations do."""

    async def run() -> None:
        stations = cast("dict[str, Station]", others or {})
        commands = {spec.arm.name: command for spec in trials}
        async with Rig(
            cast("Station", shed), stations, commands, Folder(folder), lambda _: None
        ) as rig:
            for spec in trials:
                await rig.turn(spec)
                shed.events.append(f"{spec.arm.name} {spec.boot}".removesuffix(" 0"))

    asyncio.run(run())
    return shed.events


def test_a_gateway_that_takes_long_to_come_up_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOW_S", 0.0)
    told: list[str] = []

    class Slow(Shed):
        async def up(self) -> None:
            while not told:  # noqa: ASYNC110  it is told by a timer
                await asyncio.sleep(0)

    async def run() -> None:
        station = cast("Station", Slow([]))
        async with Rig(station, {}, {}, Folder(tmp_path), told.append) as rig:
            await rig.turn(plain()[0])

    asyncio.run(run())
    assert told == ["the gateway of shed comes up"]


@pytest.mark.parametrize(("trials", "boots_each"), [(booted(), True), (plain(), False)])
def test_a_station_boots_each_time_where_boots_are_compared(
    tmp_path: Path, trials: Sequence[TrialSpec], boots_each: bool
) -> None:
    shed = Shed([])
    turned(shed, trials, tmp_path)
    assert shed.boots_each is boots_each


@pytest.mark.parametrize("restart_s", [0.0, 5.0])
def test_a_station_boots_each_time_where_a_reset_is_timed(restart_s: float) -> None:
    trials = [
        replace(spec, workload=replace(spec.workload, restart_s=restart_s)) for spec in plain()
    ]
    shed = Shed([])
    boot_for_resets(trials, [cast("Station", shed)])
    assert shed.boots_each is bool(restart_s)


def together(shed: Shed, folder: Path, times: int) -> tuple[list[str], list[str]]:
    """What the stations do where trials of one block are asked for at once; whose benches came."""
    names: list[str] = []
    trials = plain()

    async def run() -> None:
        async with Rig(cast("Station", shed), {}, {}, Folder(folder), lambda _: None) as rig:
            await rig.turn(trials[0])
            for _ in range(times):
                names[:] = [bench.station.name for bench in await rig.together(trials[:2])]

    asyncio.run(run())
    return shed.events, names


def test_arms_at_once_have_a_bench_each_that_stays(tmp_path: Path) -> None:
    shed = Shed([])
    shed.others = [Shed(shed.events, "a"), Shed(shed.events, "b")]
    events, names = together(shed, tmp_path, times=2)
    assert names == ["shed", "b"]
    assert events == ["up shed", "up b", "down b", "down shed"]


def test_arms_that_take_turns_are_booted_together(tmp_path: Path) -> None:
    trials = order([versus(replace(PLAN, repeat=IN_TURNS), ROUTE, ROUTE, 2, turns=True)], seed=1)
    events = boots(turned(Shed([]), trials, tmp_path))
    stands = [event for event in events if " shed" in event]
    assert stands == ["up shed", "down shed", "up shed", "down shed"]


def test_a_station_that_is_the_only_one_has_nothing_at_once(tmp_path: Path) -> None:
    events, names = together(Shed([]), tmp_path, times=1)
    assert (events, names) == (["up shed", "down shed"], [])


def boots(events: Sequence[str]) -> list[str]:
    """The events without the trials that follow their like."""
    return [event for event, before in zip(events, ["", *events], strict=False) if event != before]


def test_one_bench_serves_all_trials_of_a_plan_without_boots(tmp_path: Path) -> None:
    trials = plain()
    events = turned(Shed([]), trials, tmp_path)
    assert (events[0], events[-1], len(events)) == ("up shed", "down shed", len(trials) + 2)


def test_each_boot_has_a_bench_of_its_own_and_the_tester_alone_has_none(tmp_path: Path) -> None:
    trials = booted()
    events = boots(turned(Shed([]), trials, tmp_path))
    assert [event for event in events if event != "tester alone"] == [
        word for arm, boot in boots_of(trials) for word in ("up shed", f"{arm} {boot}", "down shed")
    ]
    assert events.count("tester alone") == 2


def test_the_command_is_run_while_nothing_stands_and_nothing_else_restarts_the_gateway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shed, trials = Shed([], lasts=True), booted()

    async def switched(command: str, arm: str, folder: Folder) -> None:
        shed.events.append(f"{command} {arm} in {folder.path}")

    monkeypatch.setattr(module, "switch", switched)
    events = boots(turned(shed, trials, tmp_path, "flash"))
    assert [event for event in events if event != "tester alone"] == [
        word
        for arm, boot in boots_of(trials)
        for word in (f"flash {arm} in {tmp_path}", "up shed", f"{arm} {boot}", "down shed")
    ]


def test_a_gateway_that_lasts_is_restarted_for_each_boot(tmp_path: Path) -> None:
    assert turned(Shed([], lasts=True), booted(), tmp_path).count("restart") == 4


def test_a_gateway_that_boots_after_the_command_is_waited_for(tmp_path: Path) -> None:
    shed = Shed([], lasts=True)
    shed.late = 3
    assert turned(shed, booted()[:1], tmp_path, ": {arm}")[0] == "up shed"


def test_one_that_is_not_there_without_a_command_is_reported_at_once(tmp_path: Path) -> None:
    shed = Shed([], lasts=True)
    shed.late = 3
    with pytest.raises(NodeError):
        turned(shed, booted()[:1], tmp_path)


def test_an_arm_may_have_a_station_of_its_own(tmp_path: Path) -> None:
    shed = Shed([])
    events = boots(turned(shed, booted(), tmp_path, others={"new": Shed(shed.events, "other")}))
    ups = [event for event in events if event.startswith(("up", "old", "new"))]
    pairs = {tuple(ups[at : at + 2]) for at in range(0, len(ups), 2)}
    assert pairs == {
        (f"up {station}", f"{arm} {boot}")
        for arm, station in (("old", "shed"), ("new", "other"))
        for boot in (1, 2)
    }


def test_a_command_that_fails_leaves_nothing_standing(tmp_path: Path) -> None:
    shed = Shed([])
    with pytest.raises(GatemarkError, match="ended with 1"):
        turned(shed, booted(), tmp_path, f"[ $(wc -l < {tmp_path}/switch.log) -lt 3 ] # {{arm}}")
    ups = [event.split()[0] for event in shed.events if event.endswith("shed")]
    assert ups == ["up", "down"] * (len(ups) // 2)
