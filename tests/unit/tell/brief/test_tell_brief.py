# SPDX-License-Identifier: Apache-2.0
"""The first answer in the terminal: short, narrow, with what there is to compare."""

from pathlib import Path

import builder
import pytest
import studies
import swift
from msgspec.structs import replace

from gatemark.judge.capacity.line import Line
from gatemark.judge.judgement import Warning_
from gatemark.tell import terminal
from gatemark.tell.answer import line
from gatemark.tell.brief.full_speed import full_speed
from gatemark.tell.brief.lines import briefs, costs, overload
from gatemark.tell.group.source import Source

FOLDER = Path("gatemark-runs/20261121-161500-quick")
CODES = ("drift", "spread", "bimodal", "tester-limited", "first-run-slow")


def shown(source: Source) -> list[str]:
    return terminal.answer(source, FOLDER / "report.html").splitlines()


@pytest.fixture
def source() -> Source:
    warnings = tuple(Warning_(code, "Do something about it.") for code in CODES)
    text = "This machine's kernel routes 500 k packets/s of 64 bytes on one core. " * 2
    judged = replace(swift.judgement(), warnings=warnings, missing=0, sentence=text.strip())
    run = replace(builder.run(), line=(1e9, 5e8))
    return builder.source(run, judged=judged, folder=FOLDER)


def test_it_fits_a_terminal_of_80_by_24(source: Source) -> None:
    lines = shown(source)
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80


def test_each_setup_has_a_row_and_how_many_fewer_packets_it_carries(source: Source) -> None:
    table = full_speed(source.judgement)
    rows = {row[0]: row[1:] for row in table.rows}
    assert list(rows) == ["route", "NAT", "bridge", "connection tracking", "100 rules on NAT"]
    assert rows["NAT"] == ("400", "2.46", "20.0 ± 1.3", "1225", "4920")
    assert rows["100 rules on NAT"][3:] == ("\N{EN DASH}",) * 2
    assert table.caption == "At full speed, LAN to WAN, bits on the wire: CPU 98 % busy"


def test_rate_times_time_a_packet_is_no_more_than_the_busy_core(source: Source) -> None:
    table = full_speed(source.judgement)
    assert [row[0] for row in table.rows if float(row[1]) * float(row[2]) > 1005] == []


def test_what_steps_cost_stands_in_a_table_of_its_own(source: Source) -> None:
    table = costs(source.judgement)
    assert table.caption == "What each step adds at overload, in turns of 2 ms"
    assert ("NAT", "2.50", "+25.0 ± 2.0") in table.rows


def test_a_sweep_has_what_passes_whole_and_its_knee(source: Source) -> None:
    table = overload(source.judgement)
    first = dict(zip((head for head, _ in table.heads), table.rows[0], strict=True))
    assert (first["no loss to"], first["knee"][:5]) == ("30.0", "30.10")
    assert "CPU 100 % busy" in table.caption


def test_warnings_are_one_line_with_their_codes(source: Source) -> None:
    text = " ".join(shown(source))
    assert "5 warnings (drift, spread, ...); all: gatemark show" in text


def test_all_and_again_are_commands(source: Source) -> None:
    lines = shown(source)
    assert f"all: gatemark show {FOLDER.name} --all" in " ".join(lines)
    assert lines[-1].startswith("again: gatemark run quick")


def test_a_cut_run_names_its_folder_to_go_on(source: Source) -> None:
    cut = replace(source.judgement, missing=3)
    lines = shown(builder.source(judged=cut, folder=FOLDER))
    assert any(text.endswith(f"3 not run: gatemark run --resume {FOLDER}") for text in lines)


def test_a_run_without_these_tables_shows_its_first() -> None:
    lines = shown(studies.source())
    assert any("payload in Mbit/s" in text for text in lines)


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (Line(1e9, 5e8), "enough at 1518 bytes (leaves 69.5 ± 0.7 % of the gateway)"),
        (Line(1e10, 1e10), "not enough at 1518 bytes (needs "),
    ],
)
def test_a_line_is_answered_in_words(asked: Line, text: str) -> None:
    assert text in line.sentence(swift.points(), asked)


def test_a_line_without_full_frames_names_what_measures_them() -> None:
    assert "gatemark run quick" in line.sentence((), Line(1e9, 1e9))


def test_a_ladder_at_full_speed_shows_its_steps_and_no_other_table(source: Source) -> None:
    judged = source.judgement
    of_ladder = tuple(point.about(plan=judged.ladders[0].plan) for point in swift.points())
    captions = [brief.caption for brief in briefs(replace(judged, points=of_ladder, knees=()))]
    assert captions == ["What each step adds at overload, in turns of 2 ms"]
