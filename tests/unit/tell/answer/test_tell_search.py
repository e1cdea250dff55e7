# SPDX-License-Identifier: Apache-2.0
"""What searches found, on page and terminal; a search under way, in words."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import builder
import drawn
import pytest
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.plan.model import Repeat, Search
from gatemark.run.search.standing import Standing
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Record
from gatemark.store.run import Run
from gatemark.tell import page, terminal
from gatemark.tell.answer import search
from gatemark.tell.brief import lines as brief
from gatemark.tell.chart import search as chart
from gatemark.tell.chart.figure import Figure
from gatemark.tell.chart.search import LATE, MORE, NOTHING
from gatemark.tell.group import source
from gatemark.tell.live import describe, outcome, seeking
from gatemark.tell.sentence.answer import answered

if TYPE_CHECKING:
    from searching import Searched


def steps(of: Search | None = None, pps: float = 30_000, **made: Any) -> "Searched":
    """Every trial of a search on a gateway so fast."""
    from searching import Made, searched  # takes long to import

    return searched(Made(pps, **made), of or Search())


def searched_run(
    of: Search | None = None, pps: float = 30_000, **made: Any
) -> tuple[Run, list[Record]]:
    from searching import plan, run_of

    walked = steps(of, pps, **made)
    return run_of(walked, plan(of or Search(), repeat=Repeat(times=1))), walked.records


def judged(of: Search | None = None, pps: float = 30_000, **made: Any) -> Judgement:
    return answered(*searched_run(of, pps, **made))


def test_the_table_has_both_rates_in_both_units() -> None:
    (_, table), *_ = search.tables(judged())
    row = dict(zip(table.head, table.rows[0], strict=True))
    assert row["NDR, k packets/s"] == "29.9"
    assert row["NDR, Mbit/s (L2)"] == "15.3"
    assert row["PDR, k packets/s"] == "30.0"
    assert row["bottleneck"] == "cpu"


def test_a_rate_that_the_tester_limits_is_at_least() -> None:
    (_, table), *_ = search.tables(judged(Search(max_pps=80_000), 90_000, tester_pps=40_000))
    row = dict(zip(table.head, table.rows[0], strict=True))
    assert row["NDR, k packets/s"].startswith("≥ ")
    assert row["bottleneck"] == "tester"


def test_the_sentence_tells_the_rate_without_loss() -> None:
    assert "routes 29.9 k packets/s of 64-byte frames (20.1 Mbit/s on the wire) with no loss" in (
        judged().sentence
    )


def throughputs(judgement: Judgement) -> list[Figure]:
    return drawn.every(chart.THROUGHPUT, search.plans(judgement).values())


def path(run: Run, records: list[Record]) -> Figure:
    """The way of its searches."""
    source = builder.source(run, records, answered(run, records))
    return drawn.of(chart.PATH, chart.traced(source)[0])


def test_the_figure_shows_frames_and_bits_side_by_side() -> None:
    (figure,) = throughputs(judged())
    assert [heading for heading, _ in figure.panels] == [
        "Frames a second",
        "Bits a second, layer 2",
    ]
    assert {row["goal"] for row in figure.rows} == {"NDR", "PDR"}
    assert all(json.dumps(spec) for spec in figure.specifications())


def test_the_definition_speaks_of_the_goals_that_are_there() -> None:
    (both,) = throughputs(judged())
    assert "no loss (NDR, filled) and with at most 0.5 % lost (PDR, hollow)" in both.definition
    (ndr,) = throughputs(judged(of=Search(goals=("ndr",))))
    assert "PDR" not in ndr.definition
    assert "one search, no interval" in ndr.definition
    assert "whisker" not in ndr.definition


def test_the_terminal_has_all_that_was_searched_for(tmp_path: Path) -> None:
    run, records = searched_run(Search(profile="rfc9004"), queue=300)
    folder = RunDirectory.create(tmp_path / "run", run)
    for record in records:
        folder.append(record)
    found = source.judged(folder.contents(), folder.path)
    assert "Of a burst it passes 3" in found.judgement.sentence
    text = terminal.answer(found, None, whole=False)
    captions = [line for line in text.splitlines() if line.startswith(("Throughput", "Back-to-"))]
    assert len(captions) == 2
    assert len(text.splitlines()) <= brief.LINES


def test_the_way_there_shows_every_trial_but_the_first() -> None:
    run, records = searched_run()
    figure = path(run, records)
    steps = [record for record in records if record.pass_ == "search"]
    assert len(figure.rows) == len(steps) - 1
    assert {row["became"] for row in figure.rows} >= {NOTHING, MORE}


def test_a_trial_off_its_schedule_is_told_apart() -> None:
    run, records = searched_run(Search(max_pps=80_000), 90_000, tester_pps=40_000)
    figure = path(run, records)
    assert LATE in {row["became"] for row in figure.rows}


def test_page_and_terminal_print_the_deviations(tmp_path: Path) -> None:
    run, records = searched_run()
    directory = RunDirectory.create(tmp_path / "run", run)
    for record in records:
        directory.append(record)
    found = source.judged(directory.contents(), directory.path)
    said = "RFC 2544 section 24 asks for trials of 60 s; these last 1 s"
    assert said in terminal.answer(found, None, whole=True)
    assert said in page.render([found]).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        (
            Standing("ndr", 23_100, 24_000, "packets/s", 7, 20),
            "search ndr: between 23.1 and 24.0 k packets/s, trial 7, about 20 s more",
        ),
        (
            Standing("ndr", 0, None, "packets/s", 1, 40),
            "search ndr: as fast as it goes, trial 1, about 40 s more",
        ),
        (
            Standing("burst", 200, 300, "packets", 12, 5),
            "search burst: between 200.0 and 300.0 packets, trial 12, about 5 s more",
        ),
    ],
)
def test_a_search_under_way_in_words(standing: Standing, words: str) -> None:
    assert seeking(standing) == words


def test_the_trial_of_a_search_names_its_load() -> None:
    spec = steps().specs[0]
    assert describe(spec, 1) == "s/p  route  NDR  repeat 1 of 1"
    warmup = replace(spec, pass_="warmup")  # noqa: S106  not a password
    assert describe(warmup, 1) == "s/p  route  NDR  warm-up 1"


def test_what_a_search_found_in_words() -> None:
    assert outcome(steps().outcomes["ndr"]).startswith(
        "last: throughput 29.9 k packets/s, loss 0 %"
    )


def test_what_a_kernel_found_in_words() -> None:
    record = replace(steps().outcomes["ndr"], values={"ops_s": 12.3e6})
    assert outcome(record).startswith("last: 12.3 M operations/s  (")
