# SPDX-License-Identifier: Apache-2.0
"""Whether a shaper held its rate, of made-up trials: a flow all the time, uploads from 3 s on."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final, Literal

import pytest
import searching
from msgspec.structs import replace

from gatemark.plan.model import Arm, Search, TrialSpec, Workload
from gatemark.plan.order import order
from gatemark.plan.search import PROFILES
from gatemark.run.search.follow import is_outcome
from gatemark.run.search.seek import Doing, seek
from gatemark.run.search.shaping import ADDED, CAME, END, MOST, SHARE_NAME, START, answer, completed
from gatemark.store.record import Accounting, CpuReading, Definition, Evidence, Part, Record
from gatemark.store.series import Series

S_NS: Final = 1_000_000_000
MS_NS: Final = 1_000_000
BEGIN_S, END_S = 3, 19  # of the uploads
JUDGED_S: Final = (BEGIN_S + 5, END_S)  # once slow start is over
IDLE_NS: Final = 1 * MS_NS  # what the flow takes without a load
MSS_BYTES, FRAME_BYTES = 1448, 1514  # of IPv4 with timestamps; without check sequence
WAN: Final = Arm(path="nat", name="cake", features=("shape:cake:100:wan",))
BOTH: Final = Arm(path="nat", name="cake", features=("shape:cake:100",))
THREAD: Final = "napi/gw0"
Family = Literal["ipv4", "ipv6"]


@dataclass(frozen=True)
class Way:
    """What one direction's trial leaves: the shaper's share that frames filled, the flow's wait."""

    share: float = 0.97
    added_ns: int = 2 * MS_NS  # of each packet while the uploads are on
    packets_per_s: int = 100
    rate_bps: float = 100e6


def spec(arm: Arm = WAN, family: Family = "ipv4", **terms: Any) -> TrialSpec:
    """The outcome of a search up to 100 Mbit/s, with a game and uploads beside it."""
    search = replace(PROFILES["shaper"], trial_s=END_S, min_mbit=1.0, max_mbit=100.0)
    load = Workload(kind="replay", trace="game", duration_s=END_S, family=family)
    seconds = END_S - BEGIN_S
    uploads = Workload(kind="tcp", streams=4, start_s=BEGIN_S, duration_s=seconds, family=family)
    asked: Search = replace(search, **terms)
    made = searching.plan(asked, load, arm=(arm,), beside={"uploads": uploads})
    return next(outcome for outcome in order([made], seed=1) if is_outcome(outcome))


def flow(way: Way) -> tuple[list[int], list[float]]:
    """Each packet's arrival and delay."""
    step_ns = S_NS // way.packets_per_s
    sent = range(0, END_S * S_NS, step_ns)
    delays = [IDLE_NS + (way.added_ns if at >= BEGIN_S * S_NS else 0) for at in sent]
    return [at + wait for at, wait in zip(sent, delays, strict=True)], [float(d) for d in delays]


def read(way: Way) -> tuple[list[int], list[float]]:
    """What the uploads' sinks read in each tenth of a second; twice as much in slow start."""
    times = list(range(BEGIN_S * S_NS, END_S * S_NS, S_NS // 10))
    tenth = way.share * way.rate_bps * MSS_BYTES / FRAME_BYTES / 8 / 10
    return times, [tenth * (2 if at < JUDGED_S[0] * S_NS else 1) for at in times]


def series(ways: dict[str, Way]) -> Series:
    """Of a flow and uploads in these directions; the CPU is busy by 10 %, then by 80 % of it."""
    marks = [0, JUDGED_S[0] * S_NS, END_S * S_NS]
    run_ns = [0.0, 0.1 * marks[1], 0.1 * marks[1] + 0.8 * (marks[2] - marks[1])]
    made: dict[str, tuple[list[int], list[float]]] = {f"outside.{THREAD}.run_ns": (marks, run_ns)}
    for name, way in ways.items():
        made[f"replay.{name}.delay"] = flow(way)
        made[f"uploads/sink.{name}.bytes"] = read(way)
    return made


def record(of: TrialSpec, direction: str = "up") -> Record:
    """The trial as it was read, before what came through the shaper is known."""
    family = of.workload.family
    game = Definition(path="nat", l4="replay", trace="game", direction="both", family=family)
    uploads = replace(game, l4="tcp", trace="", streams=4, direction=direction)
    window_ns = (BEGIN_S * S_NS, END_S * S_NS)
    nothing = dict.fromkeys(("duplicated", "reordered", "stale", "corrupt", "foreign"), 0)
    counted = Accounting(
        scheduled=2000, tried=1900, refused=0, unique=1893, lost=7,
        ring_dropped=0, interfaces={}, mismatch={}, **nothing,
    )  # fmt: skip
    return replace(
        searching.frame(of),
        definition=game,
        window_ns=(0, END_S * S_NS),
        parts={"uploads": Part(definition=uploads, window_ns=window_ns)},
        values={"cpu_busy": 0.4, "delay_p50_ns": 5.0, "loss_ratio": 0.25},
        accounting=counted,
        evidence=Evidence(cpu=(CpuReading(thread=THREAD, cpu=1, busy=0.4),)),
    )


def judged(way: Way, arm: Arm = WAN, family: Family = "ipv4") -> Record:
    of = spec(arm, family)
    return completed(record(of), of, series({"up": way}))


def both(up: Way, down: Way) -> Record:
    of = spec(BOTH)
    return completed(record(of, "both"), of, series({"up": up, "down": down}))


def test_the_share_is_of_the_time_after_slow_start() -> None:
    values = judged(Way(share=0.96)).values
    assert values[SHARE_NAME] == pytest.approx(0.96, rel=1e-6)
    assert values[CAME] == pytest.approx(96e6, rel=1e-6)


def test_a_frame_of_ipv6_has_longer_headers() -> None:
    made = judged(Way(share=0.96), family="ipv6").values
    assert made[SHARE_NAME] == pytest.approx(0.96 * (FRAME_BYTES + 20) / FRAME_BYTES, rel=1e-6)


def test_added_is_less_what_the_flow_took_before_the_uploads() -> None:
    assert judged(Way(added_ns=3 * MS_NS)).values[ADDED] == 3 * MS_NS


@pytest.mark.parametrize(("mbit", "most_ms"), [(100.0, 5), (1.0, 3 * FRAME_BYTES * 8 / 1e6 * 1e3)])
def test_three_frames_may_take_longer_than_five_milliseconds(mbit: float, most_ms: float) -> None:
    slow = Arm(path="nat", name="cake", features=(f"shape:cake:{mbit:g}:wan",))
    assert judged(Way(rate_bps=mbit * 1e6), slow).values[MOST] == pytest.approx(most_ms * MS_NS)


@pytest.mark.parametrize(
    ("way", "held"),
    [
        (Way(), True),
        (Way(share=0.951), True),
        (Way(share=0.949), False),
        (Way(added_ns=5 * MS_NS), True),
        (Way(added_ns=5 * MS_NS + 1000), False),
    ],
)
def test_a_rate_is_held_by_both_the_share_and_the_delay(way: Way, *, held: bool) -> None:
    assert answer(judged(way)).held is held


def test_the_answer_is_of_what_came_and_of_the_flows_packets() -> None:
    answered = answer(judged(Way(share=0.5)))
    assert (answered.tried, answered.lost, answered.scheduled) == (1900, 7, 0)
    assert answered.came_mbit == pytest.approx(50, rel=1e-6)
    assert (answered.offered_pps, answered.received_pps) == (0, 0)


@pytest.mark.parametrize("turned", [False, True])
def test_of_both_directions_the_worse_counts(*, turned: bool) -> None:
    good, bad = Way(share=0.98, added_ns=MS_NS), Way(share=0.6, added_ns=4 * MS_NS)
    values = (both(bad, good) if turned else both(good, bad)).values
    assert values[SHARE_NAME] == pytest.approx(0.6, rel=1e-6)
    assert values[CAME] == pytest.approx(60e6, rel=1e-6)
    assert values[ADDED] == 4 * MS_NS


def test_a_direction_that_is_not_shaped_does_not_count() -> None:
    of = spec(WAN)
    ways = {"up": Way(), "down": Way(share=0.1, added_ns=90 * MS_NS)}
    assert completed(record(of, "both"), of, series(ways)).values[ADDED] == 2 * MS_NS


def test_the_cpu_is_read_over_the_time_that_is_judged() -> None:
    made = judged(Way())
    assert made.values["cpu_busy"] == pytest.approx(0.8)
    assert [reading.busy for reading in made.evidence.cpu] == [pytest.approx(0.8)]
    assert {START, END}.isdisjoint(made.values)


def test_a_gateway_whose_cpu_was_not_read_has_no_load() -> None:
    of = spec()
    unread = replace(record(of), evidence=Evidence(), values={})
    made = completed(unread, of, series({"up": Way()}))
    assert made.status == "ok"
    assert "cpu_busy" not in made.values


@pytest.mark.parametrize("lacks", ["replay.up.delay", "uploads/sink.up.bytes"])
def test_a_trial_that_does_not_tell_the_delay_is_invalid(lacks: str) -> None:
    of = spec()
    columns = {name: column for name, column in series({"up": Way()}).items() if name != lacks}
    made = completed(record(of), of, columns)
    assert made.status == "invalid"
    assert "longer trials, or a flow of more packets" in made.reason


def test_a_flow_of_few_packets_tells_no_delay() -> None:
    """A percentile beyond the median needs 200 packets; in 11 s these are 110."""
    assert judged(Way(packets_per_s=10)).status == "invalid"


def test_an_invalid_trial_stays_as_it_is() -> None:
    of = spec()
    spoilt = replace(record(of), status="invalid", reason="planted")
    assert completed(spoilt, of, series({"up": Way()})) is spoilt


def sought(limit_mbit: float, **terms: Any) -> tuple[Record, list[Record], list[float | None]]:
    """What the search of a gateway finds whose CPU ends at a rate: outcome, steps, upper bounds."""
    goal, steps, highs = spec(**terms), [], []

    async def measure(of: TrialSpec) -> Record:
        mbit = float(of.point["mbit"])
        came = min(1.0, limit_mbit / mbit)
        way = Way(0.97 * came, 2 * MS_NS if came == 1 else 30 * MS_NS, rate_bps=mbit * 1e6)
        steps.append(completed(record(of), of, series({"up": way})))
        return steps[-1]

    kept: list[Record] = []
    doing = Doing(measure, searching.frame, kept.append, lambda at: highs.append(at.high))
    asyncio.run(seek([goal], [], doing))
    return kept[-1], steps, highs


def test_a_search_finds_the_rate_in_bits_by_steps_that_are_named_by_theirs() -> None:
    outcome, steps, highs = sought(40.0)
    assert outcome.status == "ok"
    assert outcome.definition.quantity == "held rate"
    assert outcome.definition.loss_criterion is None
    low, high = outcome.values["held_bps"], outcome.values["too_fast_bps"]
    assert low <= 40e6 <= high <= low / 0.95
    assert outcome.values["search_trials"] == len(steps)
    assert highs[0] is None
    assert highs[-1] == pytest.approx(high, rel=0.3)
    assert [step.trial.rpartition("/")[2] for step in steps[:2]] == ["01-100", "02-100"]
    assert {step.pass_ for step in steps} == {"search"}
    assert all("goal" not in step.point for step in steps)


def test_values_are_of_the_highest_rate_that_was_held() -> None:
    outcome, steps, _ = sought(40.0)
    held = next(step for step in steps if step.trial == outcome.decided["lower"])
    assert held.point["mbit"] == outcome.values["held_bps"] / 1e6
    assert outcome.values[SHARE_NAME] == held.values[SHARE_NAME]
    assert outcome.values[ADDED] == 2 * MS_NS
    assert outcome.values["cpu_busy"] == pytest.approx(0.8)
    assert "delay_p50_ns" not in outcome.values  # it would be over the calm, too


def test_a_gateway_that_holds_nothing_is_told_the_lowest_rate() -> None:
    outcome, _, _ = sought(0.1, min_mbit=20.0)
    assert outcome.status == "invalid"
    assert outcome.reason == "not even 20 Mbit/s was held; set `min_mbit` of [search] lower"


def test_a_gateway_that_holds_the_highest_rate_has_no_upper_bound() -> None:
    outcome, steps, _ = sought(500.0)
    assert outcome.values["held_bps"] == 100e6
    assert "too_fast_bps" not in outcome.values
    assert len(steps) == 2
