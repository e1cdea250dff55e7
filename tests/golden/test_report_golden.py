# SPDX-License-Identifier: Apache-2.0
"""Transcripts of the answer and the knee figure; `pytest --update-golden` writes them anew."""

import json
from pathlib import Path

import builder
import pytest

from gatemark.report import terminal
from gatemark.report.chart import knee

HERE = Path(__file__).parent / "report"


def check(request: pytest.FixtureRequest, name: str, text: str) -> None:
    path = HERE / name
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_answer(request: pytest.FixtureRequest) -> None:
    folder = Path("results/20261121-161500-quick")
    text = terminal.answer(builder.run(), builder.judgement(), folder, folder / "report.html")
    check(request, "answer.txt", text)


def test_answer_of_nothing(request: pytest.FixtureRequest) -> None:
    text = terminal.answer(builder.run(), builder.nothing(), Path("results/cut"), None)
    check(request, "answer-nothing.txt", text)


def test_knee_figure(request: pytest.FixtureRequest) -> None:
    judged = builder.judgement()
    figure = knee.figure(judged, judged.knees, builder.trials())
    spec = {key: part for key, part in figure.specifications()[0].items() if key != "$schema"}
    shown = {"title": figure.title, "definition": figure.definition, "panel": spec}
    check(request, "knee.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")
