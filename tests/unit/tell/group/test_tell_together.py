# SPDX-License-Identifier: Apache-2.0
"""Several runs as one, and the index of a folder: nothing is lost, nothing is mixed up."""

import os
from dataclasses import replace
from pathlib import Path

import builder
import pytest
import studies
from msgspec import structs

from gatemark.tell import gallery, index, several
from gatemark.tell.group import source, together
from gatemark.tell.group.source import Source
from gatemark.tell.words import number


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[Source]:
    folder = tmp_path_factory.mktemp("runs")
    kept = [builder.keep(folder / "old"), builder.keep(folder / "new", builder.trials(0.9))]
    return [
        source.judged(one.contents(), one.path, label)
        for one, label in zip(kept, "AB", strict=True)
    ]


def test_one_run_stays_as_it_is() -> None:
    alone = builder.source()
    assert together.together([alone]) is alone


def test_all_trials_and_points_of_both_are_there(two: list[Source]) -> None:
    found = together.together(two)
    assert len(found.records) == sum(len(one.records) for one in two)
    assert len(found.judgement.points) == sum(len(one.judgement.points) for one in two)
    assert found.judgement.trials == sum(one.judgement.trials for one in two)


def test_each_arm_bears_the_letter_of_its_run(two: list[Source]) -> None:
    found = together.together(two)
    assert {knee.arm for knee in found.judgement.knees} == {
        f"{label}: {arm}" for label in "AB" for arm in ("route", "nat")
    }


def test_runs_share_the_figure_of_a_plan(two: list[Source]) -> None:
    alone, shared = gallery.figures(two[0]), gallery.figures(together.together(two))
    assert [one.name for one in shared if one.name.startswith("knee-")] == [
        one.name for one in alone if one.name.startswith("knee-")
    ]
    (knee,) = (one for one in shared if one.name.startswith("knee-"))
    assert {str(row["arm"])[0] for row in knee.rows} == {"A", "B"}


def test_cards_stand_in_columns(two: list[Source]) -> None:
    made = several.side_by_side(two)
    assert made.cards.head == ("what", "A: old", "B: new", "B/A")
    assert made.cards.rows[0][0] == "Capacity, slowed: route"
    assert made.cards.rows[0][1].startswith("30.")
    assert made.cards.rows[0][2].startswith("27.")
    assert made.why == ""


def test_a_lower_bound_has_no_ratio(two: list[Source]) -> None:
    old, new = two
    knees = tuple(structs.replace(knee, at_least=True) for knee in new.judgement.knees)
    limited = replace(new, judgement=structs.replace(new.judgement, knees=knees))
    ratios = [
        next(row[-1] for row in several.side_by_side(runs).cards.rows if row[0].startswith("Cap"))
        for runs in (two, [old, limited])
    ]
    assert ratios[0].startswith("0.898")
    assert ratios[1] == number.DASH


def test_runs_with_nothing_alike_say_why(two: list[Source]) -> None:
    empty = Source(run=builder.run(), records=[], judgement=builder.nothing(), label="B")
    made = several.side_by_side([two[0], empty])
    assert made.tables == ()
    assert made.why


def test_letters_are_for_several_only() -> None:
    assert several.labelled(1) == [""]
    assert several.labelled(3) == ["A", "B", "C"]


def test_the_index_makes_a_page_once_and_again_when_it_is_old(tmp_path: Path) -> None:
    kept = builder.keep(tmp_path / "runs" / "one", builder.trials()[:6])
    out = tmp_path / "runs" / "index.html"
    index.write(tmp_path / "runs", out)
    first = kept.page.stat().st_mtime_ns
    index.write(tmp_path / "runs", out)
    assert kept.page.stat().st_mtime_ns == first
    for step_ns in (1, -3600 * 10**9):  # the clock may have been set
        os.utime(kept.run_file, ns=(first + step_ns, first + step_ns))
        os.utime(kept.trials_file, ns=(first + step_ns, first + step_ns))
        kept.page.write_bytes(b"old")
        os.utime(kept.page, ns=(first, first))
        index.write(tmp_path / "runs", out)
        assert kept.page.read_bytes() != b"old"


def test_the_index_links_from_where_it_lies(tmp_path: Path) -> None:
    builder.keep(tmp_path / "runs" / "a b", builder.trials()[:6])
    out = index.write(tmp_path / "runs", tmp_path / "site" / "index.html")
    assert 'href="../runs/a%20b/report.html"' in out.read_text("utf-8")


def test_published_values_stand_once_beside_the_first_run_that_has_their_like() -> None:
    def labelled(label: str, *, published: bool) -> Source:
        return replace(studies.source(published=published), label=label)

    alone = len(studies.beside())
    bare, first, second = (labelled(at, published=at != "A") for at in "ABC")
    found = together.together([bare, first, second]).beside
    assert len(found) == alone > 0
    assert {one.arm[:2] for one in found} == {"B:"}
