# SPDX-License-Identifier: Apache-2.0
"""The verdict in words: one sentence, and where it may stand."""

from dataclasses import replace as swap

import builder
import pytest
from besides import At, Seen, exactly, judged, seen, verdict
from msgspec.structs import replace

from gatemark.judge.verdict.shaper import advice
from gatemark.judge.verdict.verdict import verdicts
from gatemark.tell.answer import verdict as answer
from gatemark.tell.answer.line import lines as line_lines
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import together
from gatemark.tell.words.verdict import paragraph, sentence

NONE = seen(300, goodput_bps=15e6 * 1448 / 1514, missed_50ms_ratio=1.0)
CAKE = seen(4, At(arm="cake", features=("shape:cake:14:wan",)), cpu_busy=0.07)


def source(*points: Seen, virtual: bool = False) -> Source:
    run = builder.run()
    run = replace(run, station=replace(run.station, virtual=virtual), line=(100e6, 15e6))
    return builder.source(run, judged=judged(*points))


def test_a_lab_beside_a_device_does_not_make_the_device_a_lab() -> None:
    device = source(of_plan(CAKE, "quick/home"))
    lab = source(of_plan(NONE, "quick/home"), virtual=True)
    runs = [swap(run, label=label) for run, label in ((lab, "A"), (device, "B"))]
    ((_, made),) = answer.tables(together(runs))
    assert [row[0] for row in made.rows] == ["B: cake"]
    assert answer.NOT_A_DEVICE not in made.caption


def of_plan(made: Seen, plan: str) -> Seen:
    point, queues = made
    return point.about(plan=plan), tuple(queue.about(plan=plan) for queue in queues)


def test_the_sentence_has_line_queue_delay_letter_and_what_works() -> None:
    assert sentence(verdict(CAKE)) == (
        "At 15 Mbit/s up with cake an upload adds 4.00 ms (p99 8.00 ms): A+; web and game work"
    )


@pytest.mark.parametrize(
    ("beside", "words"),
    [
        ("uploads: tcp", "an upload adds"),
        ("uploads: tcp streams=8", "8 uploads add"),
        ("flood: udp rate_pps=1000.0", "the load adds"),
    ],
)
def test_the_load_is_called_what_it_is(beside: str, words: str) -> None:
    assert words in sentence(verdict(seen(4, At(beside=(beside,)))))


def test_what_works_and_what_does_not_are_told_apart() -> None:
    assert sentence(verdict(seen(60, missed_50ms_ratio=0.4))).endswith(
        ": C; web works, game does not"
    )


def test_the_best_shaper_is_told_with_its_rate_and_the_cpu() -> None:
    (made,) = advice(verdicts(judged(NONE, CAKE)))
    before, best = paragraph(made)
    assert before.endswith(": D; web and game do not work.")
    assert "; set it to 12.8 to 14.2 Mbit/s up; " in best
    assert best.endswith("; the CPU is fast enough (7.00 % busy).")


def test_a_search_tells_up_to_where_the_cpu_shapes() -> None:
    held = {"nat + shape:cake:wan": exactly(180e6)}
    (made,) = advice(verdicts(judged(NONE, CAKE)), held)
    assert paragraph(made)[1].endswith("it shapes up to 180 Mbit/s, then its CPU ends.")


def test_a_virtual_gateway_has_the_words_this_lab() -> None:
    assert answer.lines(source(CAKE, virtual=True))[0].startswith("In this lab, at 15 Mbit/s")
    assert answer.lines(source(CAKE))[0].startswith("At 15 Mbit/s")


@pytest.mark.parametrize(("virtual", "rows"), [(True, 0), (False, 1)])
def test_quick_has_it_of_a_device_alone(virtual: bool, rows: int) -> None:
    made = source(of_plan(CAKE, "quick/upload"), virtual=virtual)
    assert len(answer.lines(made)) == rows
    assert [len(table.rows) for _, table in answer.tables(made)] == [rows]


def test_the_line_is_not_said_to_be_unknown_where_there_is_a_verdict() -> None:
    assert line_lines(source(CAKE)) == []
    assert "not known" in line_lines(source())[0]
