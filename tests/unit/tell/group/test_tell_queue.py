# SPDX-License-Identifier: Apache-2.0
"""Queues on the page: the curves of the study, packets that were lost, the sawtooth, the table."""

from dataclasses import replace as swap

import drawn
import pytest
import queued
from msgspec.structs import replace

from gatemark.tell.answer import answers
from gatemark.tell.chart.figure import Figure, Row
from gatemark.tell.group import queue
from gatemark.tell.words import traffic

IDLE, PLAIN, FIRST = (
    "drop-tail, no load",
    "drop-tail, uploads: 1 stream",
    "game first, uploads: 1 stream",
)


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    return {figure.name.partition("-")[0]: figure for figure in drawn.figures("queued")}


def rows(figure: Figure, label: str, **wanted: str) -> list[Row]:
    alike = (row for row in figure.rows if row["arm"] == label)
    return [row for row in alike if all(row[name] == value for name, value in wanted.items())]


def test_one_flow_over_one_line_is_one_scene() -> None:
    (scene,) = queue.scenes(queued.source())
    assert [loaded.label for loaded in scene.loaded] == [
        PLAIN,
        "drop-tail, uploads: 4 streams",
        FIRST,
    ]
    assert scene.what == "game ↑ up over a line of 1 Mbit/s"


def test_the_curves_are_those_of_idle_upload_and_upload_with_the_flow_first(
    figures: dict[str, Figure],
) -> None:
    labels = list(dict.fromkeys(row["arm"] for row in figures["waits"].rows))
    assert {IDLE, PLAIN, FIRST} < set(labels)
    assert labels[0] == IDLE


def test_a_curve_ends_where_the_loss_begins(figures: dict[str, Figure]) -> None:
    ends = {label: rows(figures["waits"], label)[-1]["below"] for label in (IDLE, PLAIN)}
    (scene,) = queue.scenes(queued.source())
    assert ends[IDLE] == 1
    assert ends[PLAIN] == pytest.approx(1 - scene.loaded[0].flow.loss_ratio, abs=1e-4)


def test_every_lost_packet_of_the_first_trial_is_marked(figures: dict[str, Figure]) -> None:
    (scene,) = queue.scenes(queued.source())
    lost = scene.loaded[0].sights[0].seen.flow.lost_ns
    marks = rows(figures["packets"], PLAIN, kind="lost")
    assert len(marks) == len(lost) > 0


def test_the_sawtooth_stands_beside_what_is_expected(figures: dict[str, Figure]) -> None:
    figure = figures["sawtooth"]
    assert figure.title.startswith("The queue falls and rises every 7.76 s; 31,800 bytes")
    bounds = figure.extra[f"{figure.name}-expected"]
    assert [row["text"] for row in bounds if row["arm"] == PLAIN] == [
        "buffer full",
        "TCP backed off",
    ]


def test_a_gateway_that_shapes_has_no_sawtooth_of_the_line(figures: dict[str, Figure]) -> None:
    assert rows(figures["sawtooth"], FIRST) == []


def test_goodput_over_delay_has_a_point_for_each_setup(figures: dict[str, Figure]) -> None:
    figure = figures["tradeoff"]
    assert len(figure.rows) == len([streams for _, streams in queued.POINTS if streams])
    assert figure.title.startswith(f"{FIRST} adds 6.20 ms and keeps 100 %")


def test_every_caption_says_how_to_read_it(figures: dict[str, Figure]) -> None:
    words = {"waits": "further right", "packets": "Crosses", "sawtooth": "Dashed", "tradeoff": "Up"}
    for name, word in words.items():
        assert word in figures[name].definition


def test_the_table_explains_each_queue() -> None:
    tables = dict(answers.tables(queued.source()))
    assert len(tables["queues"].rows) == len(queued.judgement().queues)
    table, notes = tables["queues-shape"].with_notes()
    assert [row[-1] for row in table.rows] == ["1", "2", "3"]
    assert "holds the load" in notes[-1]


def test_what_no_queue_has_is_no_column() -> None:
    made = queued.judgement()
    alone = replace(made, queues=tuple(q for q in made.queues if len(q.loads) == 1)[:1])
    tables = dict(answers.tables(swap(queued.source(), judgement=alone)))
    assert "fairness, %" not in tables["queues"].head


def test_without_series_nothing_is_drawn() -> None:
    assert queue.scenes(swap(queued.source(), sheaf={})) == []


def test_a_factor_of_another_workload_has_its_name() -> None:
    assert traffic.factor("uploads.streams", 4) == "uploads: 4 streams"
