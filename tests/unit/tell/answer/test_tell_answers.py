# SPDX-License-Identifier: Apache-2.0
"""One list of answers: whatever it has is printed by terminal, page and Markdown alike."""

from collections.abc import Callable
from dataclasses import replace
from html import unescape
from pathlib import Path

import builder
import counted
import estimated
import msgspec
import packets
import pytest
import stacked
import studies
import timed
import traveled

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.point.capture import watched as judge_captures
from gatemark.judge.subject import Subject
from gatemark.plan.model import Repeat, Search
from gatemark.store.record import Definition
from gatemark.tell import gallery, page, terminal
from gatemark.tell.answer import answers
from gatemark.tell.export import markdown
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import together
from gatemark.tell.sentence.answer import answered


def searches() -> Source:
    from searching import Made, plan, run_of, searched  # takes long to import

    made = searched(Made(30_000), Search())
    run = run_of(made, plan(Search(), repeat=Repeat(times=1)))
    return Source(run=run, records=made.records, judgement=answered(run, made.records))


def capturing(arm: str, bps: float) -> PointResult:
    exact = {"received_l4_bps": bps, "offered_pps": bps, "loss_ratio": 0.0, "cpu_busy": 0.2}
    running = arm != "none"
    exact |= {"captured_share": 1.0, "program_cpu": 0.01} if running else {}
    features = ("capture:tcpdump:68",) if running else ()
    return PointResult(
        subject=Subject(
            plan="capture/feasibility",
            arm=arm,
            setup=arm,
            point={"rate_bps": bps},
            definition=Definition(path="nat", features=features, frame_bytes=1518),
        ),
        values={name: Interval(value, value, value, 6, 0.97) for name, value in exact.items()},
        limit="none",
        why="",
        at_least=False,
        invalid=0,
    )


def captures() -> Source:
    points = tuple(capturing(arm, mbit * 1e6) for arm in ("none", "snap") for mbit in (1, 10, 100))
    judged = msgspec.structs.replace(
        builder.nothing(), points=points, watched=judge_captures(points)
    )
    return builder.source(records=[], judged=judged)


SOURCES: dict[str, Callable[[], Source]] = {
    "sweeps": builder.source,
    "searches": searches,
    "captures": captures,
    "ladders": stacked.source,
    "instructions": counted.source,
    "paths": traveled.source,
    "estimates": estimated.source,
    "studies": studies.source,
    "delays": timed.source,
    "capacity": packets.source,
}


def plain(text: str) -> str:
    """Without what a page or Markdown needs to keep words as they are."""
    for mark in ("\N{NO-BREAK SPACE}", "\N{WORD JOINER}"):
        text = text.replace(mark, " " if mark == "\N{NO-BREAK SPACE}" else "")
    return unescape(text).replace("\\", "")


@pytest.fixture(scope="module", params=SOURCES)
def source(request: pytest.FixtureRequest) -> Source:
    made = SOURCES[request.param]()
    return replace(made, folder=Path("results/made"))


def test_every_table_is_in_terminal_page_and_markdown(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "figures", lambda _: [])  # tables stand there without any
    anchors = [name for name, _ in answers.tables(source)]
    assert len(set(anchors)) == len(anchors)
    captions = [table.caption for _, table in answers.tables(source)]
    assert captions
    printed = {
        "terminal": terminal.answer(source, None, whole=True),
        "page": page.render([source]),
        "Markdown": markdown.export([source]).decode(),
    }
    for place, text in printed.items():
        assert [caption for caption in captions if caption not in plain(text)] == [], place


def test_markdown_of_a_search_has_its_rates() -> None:
    text = markdown.export([searches()]).decode()
    assert "NDR, k packets/s" in text
    assert "PDR, k packets/s" in text


def test_runs_side_by_side_keep_all_that_was_judged() -> None:
    seen = set()
    for kind in ("captures", "estimates", "paths", "instructions", "ladders", "delays"):
        two = [replace(SOURCES[kind](), label=label) for label in "AB"]
        both = together(two)
        for name in type(both.judgement).__struct_fields__:
            kept = getattr(both.judgement, name)
            if isinstance(kept, tuple) and name != "warnings":
                each = [len(getattr(source.judgement, name)) for source in two]
                assert len(kept) == sum(each), (kind, name)
                seen |= {name} if kept else set()
    assert seen >= {"watched", "estimates", "travels", "executed", "ladders", "fronts", "floors"}


@pytest.mark.parametrize(("kind", "figure"), [("captures", "capture"), ("estimates", "estimate")])
def test_runs_side_by_side_keep_figure_and_table(kind: str, figure: str) -> None:
    both = together([replace(SOURCES[kind](), label=label) for label in "AB"])
    assert any(drawn.name.startswith(figure) for drawn in gallery.figures(both))
    names = [name for name, _ in answers.tables(both)]
    assert {"captures": "watched", "estimates": "estimates"}[kind] in names
