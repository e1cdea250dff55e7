# SPDX-License-Identifier: Apache-2.0
"""Transcripts of answers, figures and tables; `pytest --update-golden` writes them anew."""

import json
from dataclasses import replace as replace_source
from functools import partial
from pathlib import Path

import builder
import counted
import drawn
import estimated
import msgspec
import packets
import pytest
import queued
import stacked
import studies
import swift
import traveled
from msgspec.structs import replace

from gatemark.judge.capacity.line import Line, answer
from gatemark.judge.capacity.term import Setup
from gatemark.judge.change.exact_ab import findings
from gatemark.judge.values import values
from gatemark.store.reference import published
from gatemark.tell import terminal
from gatemark.tell.answer import answers, estimate, exact, ladder, payload
from gatemark.tell.answer import pareto as front_words
from gatemark.tell.chart import ladder as chart
from gatemark.tell.chart import packet, swept
from gatemark.tell.chart.swept import Sweep
from gatemark.tell.verb import exact_ab, fit
from golden import kept

check = partial(kept.check, folder="report")


def test_answer(request: pytest.FixtureRequest) -> None:
    folder = Path("results/20261121-161500-quick")
    text = terminal.answer(builder.source(folder=folder), folder / "report.html", whole=True)
    check(request, "answer.txt", text)


def test_brief_answer(request: pytest.FixtureRequest) -> None:
    folder = Path("gatemark-runs/20261121-161500-quick")
    run = replace(builder.run(), line=(1e9, 5e8))
    source = builder.source(run, judged=swift.judgement(), folder=folder)
    check(request, "brief.txt", terminal.answer(source, folder / "report.html"))


def test_answer_of_nothing(request: pytest.FixtureRequest) -> None:
    text = terminal.answer(
        builder.source(records=[], judged=builder.nothing(), folder=Path("results/cut")),
        None,
        whole=True,
    )
    check(request, "answer-nothing.txt", text)


def test_knee_figure(request: pytest.FixtureRequest) -> None:
    judged = builder.judgement()
    figure = drawn.of(swept.KNEE, Sweep(builder.source(judged=judged), judged.knees))
    panel = figure.specifications()[0]
    shown = {"title": figure.title, "definition": figure.definition, "panel": panel}
    check(request, "knee.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")


def test_queues(request: pytest.FixtureRequest) -> None:
    source = drawn.source("queued")
    tables = [t for name, t in answers.tables(source) if name.startswith("queues")]
    titles = [figure.title for figure in drawn.figures("queued") if figure.plan == queued.PLAN]
    blocks = [titles, *([table.caption, *table.lines()] for table in tables)]
    check(request, "queue.txt", "\n\n".join("\n".join(lines) for lines in blocks) + "\n")


def test_verdict(request: pytest.FixtureRequest) -> None:
    """What a load does to a game: the first answer, then the whole table."""
    source = replace_source(queued.source(), folder=Path("gatemark-runs/20261124-200000-delay"))
    (table,) = [t for name, t in answers.tables(source) if name == "verdict"]
    text = terminal.answer(source, None) + "\n".join(["", table.caption, *table.lines(), ""])
    check(request, "verdict.txt", text)


FIGURES = {
    "size": "size-studies-blocks",
    "share": "size-studies-blocks-share",
    "group": "bars-studies-paths",
    "change": "change-studies-paths",
}


@pytest.mark.parametrize("name", FIGURES)
def test_study_figure(request: pytest.FixtureRequest, name: str) -> None:
    figure = next(one for one in drawn.figures("studies") if one.name == FIGURES[name])
    panel = figure.specifications()[0]
    shown = {"title": figure.title, "definition": figure.definition, "panel": panel}
    check(request, f"{name}.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("name", ["waterfall", "front"])
def test_ladder_figure(request: pytest.FixtureRequest, name: str) -> None:
    judged = stacked.judgement()
    (waterfall,) = drawn.every(chart.WATERFALL, chart.ladders(judged))
    figure = {"waterfall": waterfall, "front": drawn.of(chart.PARETO, judged.fronts[0])}[name]
    shown = {"title": figure.title, "definition": figure.definition}
    panels = figure.specifications()
    text = json.dumps({**shown, "panels": panels}, indent=1, ensure_ascii=False)
    check(request, f"{name}.json", text + "\n")


def test_path_answer(request: pytest.FixtureRequest) -> None:
    """The path of one packet: tables, trees, published values beside."""
    run = traveled.run(traveled.trials())
    text = terminal.answer(
        builder.source(run, [], traveled.judgement(), folder=Path("results/counting")),
        None,
        whole=True,
    )
    check(request, "path.txt", text)


def test_path_figure(request: pytest.FixtureRequest) -> None:
    (figure,) = drawn.every(packet.SUBSYSTEMS, packet.paths(traveled.judgement()))
    shown = {"title": figure.title, "definition": figure.definition}
    panels = figure.specifications()
    text = json.dumps({**shown, "panels": panels}, indent=1, ensure_ascii=False)
    check(request, "subsystem.json", text + "\n")


def test_ladder_values(request: pytest.FixtureRequest) -> None:
    """What `show --json` says of steps, a line each."""
    steps = [one for one in values(stacked.judgement()) if one.quantity.startswith("step_")]
    text = b"".join(msgspec.json.encode(one) + b"\n" for one in steps).decode()
    check(request, "ladder.jsonl", text)


def test_ladder_tables(request: pytest.FixtureRequest) -> None:
    judged = stacked.judgement()
    made = [*ladder.tables(judged), *front_words.tables(judged)]
    text = "\n\n".join("\n".join([one.caption, *one.lines()]) for one in made)
    check(request, "ladder.txt", text + "\n")


def test_exact_tables(request: pytest.FixtureRequest) -> None:
    """Instructions: the arms and their steps, the functions of each step."""
    judged = counted.judgement()
    made = [*exact.tables(judged), *(one for _, one in exact.folds(judged))]
    text = "\n\n".join("\n".join([one.caption, *one.lines()]) for one in made)
    check(request, "exact.txt", text + "\n")


def test_exact_values(request: pytest.FixtureRequest) -> None:
    """What `show --json` says of them, a line each."""
    found = [one for one in values(counted.judgement()) if one.arm in ("route", "101 rules")]
    text = b"".join(msgspec.json.encode(one) + b"\n" for one in found).decode()
    check(request, "exact.jsonl", text)


def test_exact_test(request: pytest.FixtureRequest) -> None:
    """`gatemark ab --exact` in print."""
    made = counted.compared(200)
    assert made.run.ab is not None
    found = findings(made.run.ab, made.judgement)
    text = "\n".join(t for _, t in exact_ab.lines(made, made.run.ab, found, Path("report.html")))
    check(request, "exact-ab.txt", text + "\n")


def test_study_tables(request: pytest.FixtureRequest) -> None:
    judged = studies.judgement()
    made = [*payload.tables(studies.source(judged)), payload.comparisons(judged)]
    text = "\n\n".join("\n".join([one.caption, *one.lines()]) for one in made)
    check(request, "studies.txt", text + "\n")


@pytest.mark.parametrize("name", ["predicted", "time-per-packet"])
def test_model_figure(request: pytest.FixtureRequest, name: str) -> None:
    figure = next(one for one in drawn.figures("packets") if one.name == name)
    panel = figure.specifications()[0]
    shown = {"title": figure.title, "definition": figure.definition, "panel": panel}
    check(request, f"{name}.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")


def test_estimate(request: pytest.FixtureRequest) -> None:
    made = estimate.table(estimated.judgement(), published(), "6.1.0-test")
    check(request, "estimate.txt", "\n".join([made.caption, *made.lines()]) + "\n")
    figure = next(f for f in drawn.figures("estimated") if "estimate" in f.name)
    panel = figure.specifications()[0]
    shown = {"title": figure.title, "definition": figure.definition, "panel": panel}
    check(request, "estimate.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")


def test_enough_for_a_line(request: pytest.FixtureRequest) -> None:
    model, line = packets.model(), Line(300e6, 100e6)
    setups = Setup("nat", ("conntrack", "filter:1000")), Setup("route")
    fits = [("frames of 512 B", answer(model, setup, line, 512)) for setup in setups]
    text = "\n".join(text for _, text in fit.lines(model, fits))
    check(request, "enough.txt", text + "\n")
