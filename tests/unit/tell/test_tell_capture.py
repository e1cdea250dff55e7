# SPDX-License-Identifier: Apache-2.0
"""Loss, captured share and CPU over log rate: panels, published markers, the table."""

from collections.abc import Sequence

import drawn
import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.capture import watched as judge
from gatemark.judge.subject import Subject
from gatemark.store.published import Published
from gatemark.store.record import Definition
from gatemark.store.reference import published
from gatemark.tell.answer import watched
from gatemark.tell.chart import capture
from gatemark.tell.chart import published as published_
from gatemark.tell.chart.figure import Figure
from gatemark.tell.words.number import DASH

CAPTURED = {1e6: 1.0, 20e6: 1.0, 500e6: 0.4}


def sure(value: float) -> Interval:
    return Interval(value, value * 0.9, value * 1.1, 6, 0.97)


def point(arm: str, bps: float) -> PointResult:
    running = not arm.endswith("no capture")
    values = {"loss_ratio": sure(0.0), "cpu_busy": sure(bps / 1e9)}
    values |= {"captured_share": sure(CAPTURED[bps]), "program_cpu": sure(0.01)} if running else {}
    features = ("capture:tcpdump:68",) if running else ()
    return PointResult(
        subject=Subject(
            plan="capture/feasibility",
            arm=arm,
            setup=arm,
            point={"rate_bps": bps},
            definition=Definition(path="nat", features=features, frame_bytes=1518),
        ),
        values=values,
        limit="none",
        why="",
        at_least=False,
        invalid=0,
    )


def full_speed(arm: str, loss: float) -> PointResult:
    """As fast as the tester sends: 1 M packets/s."""
    at = point(arm, 500e6)
    subject = replace(at.subject, point={"rate_bps": 0})
    more = {"loss_ratio": sure(loss), "offered_pps": sure(1e6)}
    return replace(at, subject=subject, values={**at.values, **more})


def by_mode(arm: str, softirq: float) -> PointResult:
    """The reference rate with the CPU by mode, in trials of 1 s."""
    at = point(arm, 20e6)
    definition = replace(at.definition, duration_s=1.0)
    shares = {"cpu_user": sure(0.01), "cpu_softirq": sure(softirq)}
    subject = replace(at.subject, definition=definition)
    return replace(at, subject=subject, values={**at.values, **shares})


def judged(points: tuple[PointResult, ...]) -> Judgement:
    return Judgement(
        ceilings=(),
        points=points,
        knees=(),
        watched=judge(points),
        sentence="",
        warnings=(),
        trials=0,
        invalid=0,
        missing=0,
    )


@pytest.fixture(scope="module")
def judgement() -> Judgement:
    return judged(
        tuple(point(arm, bps) for arm in ("no capture", "snaplen 68") for bps in CAPTURED)
    )


@pytest.fixture(scope="module")
def losing() -> Figure:
    """Of arms that lose packets at full speed."""
    (figure,) = figures(pushed(LOSING))
    return figure


def figures(judgement: Judgement, known: Sequence[Published] = ()) -> list[Figure]:
    """All of these arms, beside what was published."""
    return drawn.every(capture.WATCHED, capture.of_published(judgement, known))


def pushed(losses: dict[str, float], rates: tuple[float, ...] = (1e6, 20e6)) -> Judgement:
    """Arms that are whole at each set rate, and lose this much at full speed."""
    points = [point(arm, bps) for arm in losses for bps in rates]
    return judged((*points, *(full_speed(arm, loss) for arm, loss in losses.items())))


@pytest.fixture(scope="module")
def figure(judgement: Judgement) -> Figure:
    (figure,) = figures(judgement, published())
    return figure


def test_each_quantity_has_a_panel_over_a_log_axis(figure: Figure) -> None:
    names = [heading for heading, _, _ in capture.PANELS.values()]
    assert [heading for heading, _ in figure.panels] == [*names, published_.KEY_HEADING]
    kinds = {
        layer["encoding"]["x"]["scale"]["type"]
        for spec in figure.specifications()[: len(names)]
        for layer in spec["layer"]
    }
    assert kinds == {"log"}


def test_the_title_says_how_far_both_are_whole(figure: Figure) -> None:
    assert figure.title == "Nothing lost and nothing missed with snaplen 68: up to 20 Mbit/s"


def test_published_values_of_like_setups_are_hollow_markers(figure: Figure) -> None:
    rows = figure.extra[f"{figure.name}-published"]
    shown = {(row["field"], row["device"]) for row in rows}
    assert ("captured_share", "DIR-615 (MIPS2)") in shown
    assert {row["differs"] for row in rows} & {"capture.1500 captured@max"} == set()


def test_the_table_has_a_line_for_each_arm(judgement: Judgement) -> None:
    rows = watched.table(judgement).rows
    assert [row[1] for row in rows] == ["no capture", "snaplen 68"]
    assert rows[1][2:6] == ("20 Mbit/s", DASH, "500 Mbit/s", "forwarding")


LOSING = {"no capture": 0.0, "snaplen 68": 0.88, "snaplen 1500": 0.9}


def test_no_line_leads_to_full_speed(losing: Figure) -> None:
    spec = losing.specifications()[0]
    assert {row["speed"] for row in losing.rows} == {"set", "full speed"}
    for layer in spec["layer"]:
        kind = layer["mark"]["type"]
        if kind in ("line", "area"):
            assert {"filter": {"field": "speed", "equal": "set"}} in layer["transform"]
    assert "'text': 'full speed'" in str(spec)
    assert "No line leads there" in losing.definition


def test_the_title_parts_set_rates_from_full_speed(losing: Figure) -> None:
    assert losing.title == (
        "Nothing lost and nothing missed with every program: at every set rate up to 20 Mbit/s; "
        "at full speed 88 to 90 % is lost"
    )
    alone = pushed({"no capture": 0.5, "snaplen 68": 0.88}, rates=())
    assert figures(alone)[0].title == "At full speed 88 % is lost"


def test_the_table_does_not_name_a_rate_between_which_nothing_was_measured() -> None:
    rows = watched.table(pushed(LOSING)).rows
    assert [row[3] for row in rows] == [DASH, *["between 20 Mbit/s and full speed"] * 2]
    assert [row[6] for row in rows] == [DASH, "full speed", "full speed"]


def test_devices_are_named_in_one_key_for_the_whole_figure(figure: Figure) -> None:
    *panels, key = figure.specifications()
    devices = {row["device"] for rows in figure.extra.values() for row in rows}
    texts = {
        layer["encoding"]["text"].get("field")
        for spec in panels
        for layer in spec["layer"]
        if "text" in layer["encoding"]
    }
    assert "device" not in texts
    assert [device for device in devices if f"'device': '{device}'" not in str(key)] == []


def test_a_published_value_has_the_colour_of_the_setup_that_it_is_of(figure: Figure) -> None:
    rows = figure.extra[f"{figure.name}-published"]
    arms = {(row["differs"], row["arm"]) for row in rows if row["device"] == "WRT54GL (MIPS1)"}
    assert ("capture.none e2e_loss@max", "no capture") in arms
    assert ("capture.any e2e_loss@max", "snaplen 68") in arms  # here the only one that captures


def test_of_several_runs_the_first_gives_its_colour() -> None:
    arms = ("A: no capture", "A: snaplen 68", "B: no capture", "B: snaplen 68")
    (figure,) = figures(judged(tuple(point(arm, 20e6) for arm in arms)), published())
    rows = figure.extra[f"{figure.name}-published"]
    assert {row["arm"] for row in rows} == {"A: no capture", "A: snaplen 68"}


def test_the_legend_stands_in_the_first_panel_alone(figure: Figure) -> None:
    legends = [
        {
            str(layer["encoding"]["color"]["legend"])
            for layer in spec["layer"]
            if "color" in layer["encoding"]
        }
        for spec in figure.specifications()[:-1]
    ]
    assert "None" not in legends[0]
    assert legends[1:] == [{"None"}] * (len(legends) - 1)


def test_ticks_stand_at_decades(figure: Figure, losing: Figure) -> None:
    axis = figure.specifications()[0]["layer"][0]["encoding"]["x"]["axis"]
    assert axis["labelOverlap"] is True
    assert axis["values"] == [1e6, 1e7, 1e8, 1e9]
    wide = losing.specifications()[0]
    assert wide["layer"][0]["encoding"]["x"]["axis"]["values"] == [1e6, 1e7, 1e8, 1e9, 1e10]


def test_few_ticks_of_the_clock_are_no_result() -> None:
    few = judged((by_mode("no capture", 0.03), by_mode("snaplen 68", 0.04)))
    (figure,) = figures(few)
    assert capture.MODES_HEADING not in dict(figure.panels)
    assert watched.HEAD[watched.MODES_AT] not in watched.table(few).head
    many = judged((by_mode("no capture", 0.03), by_mode("snaplen 68", 0.3)))
    (figure,) = figures(many)
    assert capture.MODES_HEADING in dict(figure.panels)
    assert "ticks of 10 ms" in figure.definition
    assert [row[watched.MODES_AT] for row in watched.table(many).rows] == [DASH, "1 / 30"]
