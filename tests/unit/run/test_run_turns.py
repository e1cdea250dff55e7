# SPDX-License-Identifier: Apache-2.0
"""Arms at once: which trials go together, for how long, and what a packet took."""

import asyncio

import pytest
from msgspec.structs import replace

from gatemark.node.shell import Local
from gatemark.plan.model import Arm, Plan, Repeat, TrialSpec, Turn, Workload
from gatemark.plan.order import order
from gatemark.run import turns
from gatemark.run.raw import Raw
from gatemark.station.thread import Thread
from gatemark.station.wiring import ROLES, Port, wires
from gatemark.store.record import Accounting, CpuReading
from gatemark.workload.way import Way

S = 1_000_000_000
THREADS = {"gw0": Thread("napi/gw0", 11, 1), "gw1": Thread("napi/gw1", 12, 1)}
PORTS = {role: Port(Local(), role, "") for role in ROLES}
PLAN = Plan(
    schema="gatemark.plan/1",
    title="",
    why="",
    reading="",
    name="s/p",
    arm=tuple(Arm(path="route", name=name) for name in ("a", "b", "c")),
    workload=Workload(duration_s=0.2),
    sweep={"frame_bytes": (64, 1518)},
    repeat=Repeat(times=2, turn_ms=2.0),
)


@pytest.fixture
def specs() -> list[TrialSpec]:
    """All trials, in order: a round is three."""
    return list(order([PLAN], seed=1))


def test_a_round_is_a_point_of_a_block(specs: list[TrialSpec]) -> None:
    block = turns.round_of(specs[0], specs)
    assert sorted(spec.arm.name for spec in block) == ["a", "b", "c"]
    assert {(spec.repeat, spec.point["frame_bytes"]) for spec in block} == {
        (specs[0].repeat, specs[0].point["frame_bytes"])
    }


def test_what_is_not_asked_for_in_turns_goes_alone() -> None:
    plain = list(order([replace(PLAN, repeat=Repeat(times=2))], seed=1))
    assert turns.round_of(plain[0], plain) == [plain[0]]


def test_each_has_a_place_of_its_own(specs: list[TrialSpec]) -> None:
    placed = turns.placed(specs[:3])
    assert [(spec.turn.of, spec.turn.at, spec.turn.ms) for spec in placed] == [
        (3, 0, 2.0),
        (3, 1, 2.0),
        (3, 2, 2.0),
    ]


def test_the_only_one_is_measured_alone(specs: list[TrialSpec]) -> None:
    (alone,) = turns.placed(specs[:1])
    assert alone.turn.of == 0
    assert turns.sent(alone) == alone


def test_it_is_sent_until_its_own_turns_are_its_time(specs: list[TrialSpec]) -> None:
    placed = turns.placed(specs[:3])[1]
    assert turns.sent(placed).workload.duration_s == pytest.approx(0.6)


def test_all_are_ready_before_one_begins(specs: list[TrialSpec]) -> None:
    async def meet() -> list[str]:
        events: list[str] = []
        start = turns.Start(specs[:2])

        async def trial(spec: TrialSpec) -> None:
            events.append("ready")
            await start.wait(spec)
            events.append("begins")

        await asyncio.gather(*(trial(spec) for spec in specs[:2]))
        return events

    assert asyncio.run(meet()) == ["ready", "ready", "begins", "begins"]


def test_nobody_waits_for_one_that_will_not_come(specs: list[TrialSpec]) -> None:
    async def meet() -> None:
        start = turns.Start(specs[:2])
        start.leave(specs[1])
        await asyncio.wait_for(start.wait(specs[0]), 60)

    asyncio.run(meet())


def raw(run_ns: int) -> Raw:
    """A second; both threads of the gateway, the second idle; readings reach beyond the sending."""
    (wire,) = wires(PORTS, "route", "up")
    sent = Way(wire, {"t0_ns": S // 4, "t1_ns": S // 4 + S}, {}, {})
    threads = {
        str(THREADS["gw0"].pid): {"run_ns": [5, 5 + run_ns // 2, 5 + run_ns], "wait_ns": [0] * 3},
        str(THREADS["gw1"].pid): {"run_ns": [7, 7, 7], "wait_ns": [0] * 3},
    }
    report = {"t_ns": [0, S // 2, 2 * S], "threads": threads}
    return Raw([sent], {"threads": report})


def values_of(
    spec: TrialSpec, run_ns: int, threads: dict[str, Thread] = THREADS
) -> dict[str, float]:
    counted = Accounting(
        scheduled=0, tried=1200, refused=200, unique=1000, lost=200, duplicated=0, reordered=0,
        stale=0, corrupt=0, foreign=0, ring_dropped=0, interfaces={}, mismatch={},
    )  # fmt: skip
    return turns.values(spec, raw(run_ns), threads, counted)


def test_a_packet_takes_all_work_for_all_packets(specs: list[TrialSpec]) -> None:
    spec = replace(specs[0], turn=Turn(ms=2.0, of=4, at=1))
    assert values_of(spec, run_ns=S // 5)["packet_ns"] == pytest.approx(S / 5 / 1000)


def test_rates_are_of_the_sending_part_of_its_own_turns(specs: list[TrialSpec]) -> None:
    spec = replace(specs[0], turn=Turn(ms=2.0, of=4, at=1))
    values = values_of(spec, run_ns=S // 10)
    assert values["received_pps"] == pytest.approx(5000)
    assert values["offered_pps"] == pytest.approx(6000)
    assert values["cpu_busy"] == pytest.approx(0.5)


def test_it_works_off_its_queue_in_the_next_turn(specs: list[TrialSpec]) -> None:
    spec = replace(specs[0], turn=Turn(ms=2.0, of=4, at=1))
    values = values_of(spec, run_ns=S // 2)
    assert values["cpu_busy"] == 1.0
    assert values["packet_ns"] == pytest.approx(S / 2 / 1000)
    assert values["received_pps"] == pytest.approx(2000)  # what it worked off is no gift


def test_a_full_cpu_is_seen_as_full_in_its_own_turns() -> None:
    readings = [CpuReading(thread="napi/gw0", cpu=1, busy=busy) for busy in (0.196, 0.3, 0.0)]
    shares = [reading.busy for reading in turns.own_share(readings, Turn(ms=2.0, of=4))]
    assert shares == pytest.approx([0.98, 1.0, 0.0])


def test_the_tester_alone_has_no_gateway(specs: list[TrialSpec]) -> None:
    arm = Arm(path="direct", name="alone")
    spec = replace(specs[0], arm=arm, turn=Turn(ms=2.0, of=4))
    assert "packet_ns" not in values_of(spec, run_ns=S // 5)


def test_a_trial_that_was_alone_is_read_as_any(specs: list[TrialSpec]) -> None:
    assert values_of(specs[0], run_ns=S // 5) == {}
