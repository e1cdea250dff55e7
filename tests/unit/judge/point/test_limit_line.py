# SPDX-License-Identifier: Apache-2.0
"""The emulated line as a bottleneck: by its drops, by its time; where it is late, the tester."""

from dataclasses import replace as changed

import pytest
from msgspec.structs import replace

from gatemark.judge.cause.reconcile import name, reconciled
from gatemark.judge.fact import Fact
from gatemark.judge.point.ceiling import ceiling
from gatemark.judge.point.facts import gather
from gatemark.judge.point.group import group
from gatemark.judge.point.limit import Verdict, decide
from gatemark.judge.shape.diagnose import sweeps
from gatemark.store.drops import Crossing, Drops, Line
from gatemark.store.loss import Loss
from gatemark.store.record import Definition, Evidence, Record
from gatemark.tell.sentence.answer import answered

from ..conftest import Trial, run

HALVED = Trial(offered=20_000, received=10_000)
TCP = Definition(quantity="goodput", path="route", l4="tcp", line="15 Mbit/s, 50 packets")
IDLE = Crossing(
    came=0, sent=0, dropped=0, lost=0, refused=0, waiting=0, bytes=0, busy=0.0,
    peak_packets=0, peak_bytes=0,
)  # fmt: skip


def crossing(dropped: int = 0, busy: float = 1.0, over_1ms: float = 0.0, lost: int = 0) -> Crossing:
    made = {"came": 20_000, "sent": 20_000 - dropped - lost, "dropped": dropped, "lost": lost}
    return replace(IDLE, **made, busy=busy, over_1ms=over_1ms)


def record(trial: Trial, up: Crossing, down: Crossing = IDLE) -> Record:
    return changed(trial, more=Evidence(line=Line(up=up, down=down))).record()


def verdict(trial: Trial, up: Crossing, down: Crossing = IDLE) -> Verdict:
    (point,) = group([record(trial, up, down)])
    return decide(gather(point, None))


def of_tcp(up: Crossing) -> Verdict:
    made = record(Trial(), up)
    made = replace(made, definition=TCP, accounting=None, values={"goodput_bps": 14e6}, point={})
    (point,) = group([replace(made, evidence=Evidence(line=made.evidence.line))])
    return decide(gather(point, None))


def test_what_it_dropped_explains_the_loss() -> None:
    dropped = Fact("why.line-dropped", {"share": 1.0})
    assert verdict(HALVED, crossing(dropped=10_000)) == Verdict("line", dropped)


def test_what_was_lost_by_chance_behind_it_is_its_own_too() -> None:
    assert verdict(HALVED, crossing(lost=9_000, busy=0.3)).limit == "line"


def test_it_is_named_before_a_full_cpu_behind_which_it_stands() -> None:
    assert verdict(changed(HALVED, busy=0.99), crossing(dropped=9_000)).limit == "line"


@pytest.mark.parametrize("way", ["up", "down"])
def test_a_loss_elsewhere_is_not_its_own(way: str) -> None:
    busy = crossing(dropped=500)
    ways = (busy, IDLE) if way == "up" else (IDLE, busy)
    assert verdict(changed(HALVED, busy=0.99), *ways).limit == "cpu"


GAME = Definition(
    quantity="replayed rate", path="nat", l4="replay", trace="game", direction="both",
    beside=("uploads: tcp",), line="15 Mbit/s, 50 packets",
)  # fmt: skip


def beside_uploads(up_lost: float, down_lost: float, evidence: Evidence) -> Verdict:
    """A game that lost a hundredth of 20 000 packets, beside uploads that dropped far more."""
    made = Trial(20_000, 19_800).record()
    lost = {"up.loss_ratio": up_lost, "down.loss_ratio": down_lost, "loss_ratio": 0.01}
    of_game = replace(made, definition=GAME, values=made.values | lost, evidence=evidence)
    return decide(gather(group([of_game])[0], None))


@pytest.mark.parametrize(
    ("up_lost", "down_lost", "dropped", "limit"),
    [
        (0.02, 0.0, 5_000, "line"),
        (0.0, 0.02, 5_000, "unknown"),  # it lost on the other way
        (0.02, 0.0, 99, "unknown"),  # all that dropped there are too few, however few came
        (0.02, 0.02, 5_000, "line"),
    ],
)
def test_drops_of_uploads_explain_no_loss_of_a_game_on_the_other_way(
    up_lost: float, down_lost: float, dropped: int, limit: str
) -> None:
    line = Line(up=crossing(dropped=dropped), down=IDLE)
    assert beside_uploads(up_lost, down_lost, Evidence(line=line)).limit == limit


def test_a_tenth_of_all_that_came_is_nothing_to_a_flow_that_lost_more() -> None:
    """19 000 dropped are half of all that came, and less than half of what the flow lost."""
    made = Trial(100_000, 50_000).record()
    lost = {"up.loss_ratio": 0.5, "down.loss_ratio": 0.5}
    evidence = Evidence(line=Line(up=crossing(dropped=19_000), down=IDLE))
    mixed = replace(made, definition=GAME, values=made.values | lost, evidence=evidence)
    verdicts = [
        decide(gather(group([each])[0], None)).limit
        for each in (mixed, replace(mixed, definition=replace(GAME, beside=())))
    ]
    assert verdicts == ["unknown", "line"]


@pytest.mark.parametrize(
    ("feature", "up_lost", "down_lost", "limit"),
    [
        ("shape:cake:14:wan", 0.02, 0.0, "shaper"),
        ("shape:cake:14:wan", 0.0, 0.02, "unknown"),
        ("shape:cake:14", 0.02, 0.0, "unknown"),  # at both ports: which one dropped is not known
        ("shape:cake:14", 0.02, 0.02, "shaper"),
    ],
)
def test_drops_of_a_shaper_count_in_the_direction_that_it_shapes(
    feature: str, up_lost: float, down_lost: float, limit: str
) -> None:
    qdisc = {"gw1": {"drops": 5_000, "overlimits": 9_000}}
    lost = {"up.loss_ratio": up_lost, "down.loss_ratio": down_lost}
    definition = replace(GAME, features=(feature,), line="")
    plain = Trial(20_000, 19_800)
    records = [
        replace(made, definition=definition, values=made.values | lost)
        for made in (
            plain.record(),
            changed(plain, instrumented=True, more=Evidence(qdisc=qdisc), sequence=1).record(),
        )
    ]
    assert decide(gather(group(records)[0], None)).limit == limit


def test_what_conntrack_dropped_beside_others_may_be_theirs() -> None:
    plain = Trial(20_000, 19_800)
    full = changed(
        plain, instrumented=True, more=Evidence(conntrack={"insert_failed": 200}), sequence=1
    )
    for definition, limit in ((GAME, "unknown"), (replace(GAME, beside=()), "flow-table")):
        made = [replace(r, definition=definition) for r in (plain.record(), full.record())]
        assert decide(gather(group(made)[0], None)).limit == limit


def test_what_came_through_was_held_back_by_nothing() -> None:
    assert verdict(Trial(20_000), crossing(busy=0.99)).limit == "none"


@pytest.mark.parametrize(
    ("up", "limit"),
    [
        (crossing(busy=0.99), "line"),
        (crossing(busy=0.9, dropped=12), "line"),
        (crossing(busy=0.9), "unknown"),  # a shaper before it, say
        (crossing(busy=0.2, dropped=12), "unknown"),
    ],
)
def test_tcp_fills_it_or_is_told_by_its_drops(up: Crossing, limit: str) -> None:
    assert of_tcp(up).limit == limit


def test_a_line_that_is_late_is_the_tester_even_where_all_came_through() -> None:
    late = verdict(Trial(20_000), crossing(busy=0.5, over_1ms=0.11))
    assert (late.limit, late.why) == ("tester", Fact("why.late-line", {"share": 0.11}))
    assert verdict(Trial(20_000), crossing(busy=0.5, over_1ms=0.09)).limit == "none"


@pytest.mark.parametrize(("over_1ms", "times"), [(0.009, 0), (0.02, 1), (0.2, 1)])
def test_a_line_that_is_a_little_late_leaves_the_rate_and_warns_of_the_delay(
    over_1ms: float, times: int
) -> None:
    made = answered(run(), [record(HALVED, crossing(dropped=10_000, over_1ms=over_1ms))])
    (point,) = made.points
    assert point.limit == ("tester" if over_1ms > 0.1 else "line")
    assert [warning.code for warning in point.warnings].count("tester-limited") == times


def direct(line: str) -> Record:
    made = Trial(path="direct", received=10_000).record()
    return replace(made, definition=replace(made.definition, line=line))


def test_the_tester_with_a_line_is_a_floor_and_no_ceiling() -> None:
    judged = answered(run(), [direct("15 Mbit/s, 50 packets")])
    assert [point.arm for point in judged.floors] == ["direct"]
    assert judged.ceilings == ()
    assert ceiling(judged.floors, HALVED.record().definition) is None
    assert len(answered(run(), [direct("")]).ceilings) == 1


def test_its_drops_are_told_by_its_name() -> None:
    made = record(HALVED, replace(crossing(dropped=9_999), refused=0), replace(IDLE, lost=1))
    evidence = replace(made.evidence, drops=Drops())
    whole = reconciled(replace(made, evidence=evidence))
    assert whole is not None
    assert (whole.remains, whole.agrees) == (0, True)
    names = {name(drop): drop.packets for drop in whole.by_cause}
    assert names == {"queue at the line, up": 9_999, "chance at the line, down": 1}


def test_what_its_ports_refused_is_the_testers_up_and_the_gateways_down() -> None:
    made = record(HALVED, replace(IDLE, refused=4_000), replace(IDLE, refused=6_000))
    whole = reconciled(replace(made, evidence=replace(made.evidence, drops=Drops())))
    assert whole is not None
    assert (whole.own, whole.refused, whole.remains) == (4_000, 6_000, 0)


def test_a_loss_that_it_explains_has_no_other_shape() -> None:
    loss = (Loss(direction="up", bin_ms=10, tried=(200,) * 100, lost=(100,) * 100),)
    kept = [record(HALVED, crossing(dropped=dropped)) for dropped in (9_000, 100)]
    made = [replace(r, evidence=replace(r.evidence, loss=loss)) for r in kept]
    assert [len(sweeps(group([one]), ())) for one in made] == [0, 1]
