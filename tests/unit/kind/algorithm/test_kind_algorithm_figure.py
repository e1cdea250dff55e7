# SPDX-License-Identifier: Apache-2.0
"""The study's figures 6 to 10 drawn of this processor: which points they have, and their values."""

import dataclasses
from collections.abc import Sequence
from functools import cache

import builder
from msgspec.structs import replace

from gatemark.judge.judgement import PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.kind.algorithm import answer
from gatemark.kind.algorithm.plan import KERNEL
from gatemark.store.record import Definition, Record
from gatemark.tell import gallery
from gatemark.tell.chart import kernel
from gatemark.tell.chart.figure import Figure
from gatemark.tell.group.source import Source
from gatemark.tell.words.number import DASH


def point(words: str, arm: str = "a", level: str = "O3", **values: float) -> PointResult:
    definition = Definition(path="endpoint", quantity=KERNEL, kernel=words, level=level)
    return PointResult(
        subject=Subject(plan="algorithms/p", arm=arm, setup=arm, definition=definition),
        values={
            name.replace("__", "."): Interval(value, value / 2, value * 2, 3, 0.75)
            for name, value in values.items()
        },
        limit="cpu",
        why="",
        at_least=False,
        invalid=0,
        warnings=(),
    )


LOOKED_UP = "lpm mix=in-table structure={} table=generated:1009:1"


@cache
def points() -> list[PointResult]:
    return [
        point(LOOKED_UP.format("tbm4"), ops_s=4e6),
        point(LOOKED_UP.format("sst15"), ops_s=1e6),
        point(LOOKED_UP.format("dir24"), ops_s=9e6),  # not one of the study's
        point(LOOKED_UP.format("tbm4"), level="O0", ops_s=2e5),
        point("filter structure=cbf workload=study", query__ops_s=7e6, remove__ops_s=5e6),
        point("match engine=hfa patterns=aut2 payload=http:200", ops_s=3e4),
    ]


def drawn(points: list[PointResult], records: Sequence[Record] = ()) -> list[Figure]:
    judgement = replace(builder.judgement(), points=tuple(points))
    return list(kernel.figures(judgement, records))


def source(points: list[PointResult], records: Sequence[Record] = ()) -> Source:
    judgement = replace(builder.judgement(), points=tuple(points))
    return Source(run=builder.run(), records=records, judgement=judgement)


def test_bars_are_the_study_s_structures_at_its_level() -> None:
    labels = [[(row["input"], row["kernel"]) for row in figure.rows] for figure in drawn(points())]
    assert labels == [
        [("1009 prefixes", "tbm4"), ("1009 prefixes", "sst15")],
        [("counting Bloom filter", "query"), ("counting Bloom filter", "remove")],
        [("aut2", "Hybrid-FA")],
    ]


def test_a_kernel_has_one_bar_by_the_first_plan_that_timed_it() -> None:
    words = LOOKED_UP.format("tbm4")
    again = [*points(), point(f"{words} mode=dependent", ops_s=5e6), point(words, ops_s=6e6)]
    assert drawn(again)[0].rows == drawn(points())[0].rows


def test_a_bar_has_the_interval_of_its_trials() -> None:
    row = drawn(points())[0].rows[0]
    assert [row["ops_s"], row["ops_s_lo"], row["ops_s_hi"]] == [4e6, 2e6, 8e6]


def test_the_title_says_which_is_fastest() -> None:
    title = drawn(points())[0].title
    assert title.endswith(": 1009 prefixes most by tbm4, 4.00 M look-ups/s")


def test_each_input_has_a_panel_and_a_fastest_of_its_own() -> None:
    other = LOOKED_UP.replace("1009", "10084")
    both = [
        point(LOOKED_UP.format("tbm4"), ops_s=4e6),
        point(other.format("tbm4"), ops_s=1e6),
        point(LOOKED_UP.format("sst7"), ops_s=3e6),
        point(other.format("sst7"), ops_s=2e6),
    ]
    (figure,) = drawn(both)
    assert figure.title.endswith(
        "1009 prefixes most by tbm4, 4.00 M look-ups/s; "
        "10084 prefixes most by sst7, 2.00 M look-ups/s"
    )
    assert [heading for heading, _ in figure.panels] == ["1009 prefixes", "10084 prefixes"]
    assert [row["input"] for row in figure.rows] == ["1009 prefixes"] * 2 + ["10084 prefixes"] * 2
    filters = [str(spec["layer"][0]["transform"]) for spec in figure.specifications()]
    assert ["1009 prefixes" in filters[0], "10084 prefixes" in filters[1]] == [True, True]


def test_loads_that_differ_are_no_bars_of_one_input() -> None:
    matchers = [
        point(f"match engine=hfa patterns=aut2 payload=http:{size}", ops_s=size * 10.0)
        for size in (200, 2000)
    ]
    (figure,) = drawn(matchers)
    assert [(row["input"], row["ops_s"]) for row in figure.rows] == [
        ("aut2, payload http:200", 2000.0),
        ("aut2, payload http:2000", 20000.0),
    ]
    asked = f"{LOOKED_UP.format('tbm4')} queries="
    (figure,) = drawn([point(f"{asked}{count}", ops_s=4e6) for count in (3382, 65536)])
    assert [row["input"] for row in figure.rows] == [
        "1009 prefixes, queries 3382",
        "1009 prefixes, queries 65536",
    ]


ANCHORED = "match engine=d2fa patterns=aut3 payload=http:2000"


def stopped_early() -> Record:
    """100 passes of 1000 bytes and the two before them, of each of which 7 bytes were read."""
    report = {
        "command": "match",
        "payload_bytes": 1000,
        "passes": 20,
        "ns": [1.0] * 5,
        "scanned_bytes": 102 * 7,
    }
    record = next(record for record in builder.trials() if record.status == "ok")
    definition = replace(record.definition, kernel=ANCHORED)
    evidence = replace(record.evidence, kernels=(report,))
    return replace(record, definition=definition, evidence=evidence)


def test_a_matcher_that_stops_early_says_how_much_it_read() -> None:
    other = ANCHORED.replace("d2fa", "hfa")
    points = [point(ANCHORED, ops_s=2e7), point(other, ops_s=1e6)]
    (figure,) = drawn(points, [stopped_early()])
    text = "aut3's expressions begin at the start of the payload: D2FA reads 0.7 % of it"
    assert text.replace("0.7 ", "0.700 ") in figure.definition
    assert figure.title.endswith("aut3 most by D2FA, 20.0 M payloads/s, reading 0.700 % of each")
    captions = [table.caption for _, table in answer.tables(source(points, [stopped_early()]))]
    assert sum("D2FA reads" in caption for caption in captions) == 2


def captions(**report: object) -> str:
    """The captions of an answer whose one record has this report."""
    record = stopped_early()
    record = replace(record, evidence=replace(record.evidence, kernels=(report,)))
    return " ".join(t.caption for _, t in answer.tables(source([point(ANCHORED)], [record])))


def test_a_caption_says_what_of_a_set_was_not_searched() -> None:
    text = captions(
        command="match",
        patterns="a.rules",
        rejected=1,
        rejected_reasons="4:0: look-around",
        ignored_options=2,
        ignored_names="offset, depth",
    )
    assert "Of a.rules, 1 line is not searched, by line and place: 4:0: look-around." in text
    assert "2 further options are ignored: offset, depth" in text


def test_a_caption_says_which_lines_are_no_part_of_a_table() -> None:
    text = captions(command="lpm", table="t.txt", left_out=3, left_out_reasons="3 of it")
    assert "Of t.txt, 3 lines are no part of the table: 3 of it" in text


def test_a_caption_says_which_packets_of_a_capture_are_not_searched() -> None:
    text = captions(command="match", patterns="T1", payload="a.pcap", left_out="2 ARP")
    assert "Of a.pcap, packets are not searched: 2 ARP" in text
    assert "no part of the table" not in text


def test_a_caption_says_that_lines_are_taken_for_expressions() -> None:
    text = captions(command="match", patterns="words.txt", plain=2)
    assert "Of words.txt, 2 lines are searched as regular expressions" in text


def test_one_that_reads_it_all_says_nothing() -> None:
    record = stopped_early()
    whole = dict(record.evidence.kernels[0]) | {"scanned_bytes": 102 * 1000}
    record = replace(record, evidence=replace(record.evidence, kernels=(whole,)))
    (figure,) = drawn([point(ANCHORED, ops_s=2e7)], [record])
    assert "reads" not in figure.definition


def here(points: list[PointResult]) -> set[str]:
    """What stands beside the ranks of the study."""
    tables = dict(answer.tables(source(points)))
    return {row[3] for row in tables["kernels-study"].rows}


def test_ratios_are_of_one_input_at_the_study_s_level() -> None:
    rates = {"aut1": (3.456e6, 1e6), "aut3": (71.2e3, 1e6)}
    points = [
        point(f"match engine={engine} patterns={patterns}", level=level, ops_s=rate)
        for patterns, pair in rates.items()
        for engine, rate in zip(("hfa", "d2fa"), pair, strict=True)
        for level in ("O0", "O3")
    ]
    slow = point("match engine=hfa patterns=aut1", level="O0", ops_s=9e9)
    expected = "hfa is 3.46 (aut1), 0.0712 (aut3) times as fast as d2fa"
    assert expected in here([slow, *points[1:]])


def test_look_ups_that_wait_are_in_no_ratio() -> None:
    words = "lpm mix=in-table mode={} structure={} table=generated:1009:1"
    rates = {("independent", "sst7"): 3e6, ("independent", "tbm4"): 4e6}
    rates |= {("dependent", "sst7"): 1e6, ("dependent", "tbm4"): 1e6}
    points = [point(words.format(*named), ops_s=ops_s) for named, ops_s in rates.items()]
    assert "sst7 is 0.750 (1009 prefixes) times as fast as tbm4" in here(points)


def test_no_ratio_is_of_two_processors() -> None:
    runs = [
        dataclasses.replace(
            source([point(f"match engine={engine} patterns=aut1", ops_s=1e6)]), label=label
        )
        for engine, label in (("hfa", "A"), ("d2fa", "B"))
    ]
    both = dataclasses.replace(runs[0], parts=runs)
    tables = dict(answer.tables(both))
    assert {row[3] for row in tables["kernels-study"].rows} == {DASH}


def test_a_query_is_held_against_an_insertion_at_the_study_s_level() -> None:
    study = "filter structure=bf workload=study"
    points = [
        point(study, level="O0", insert__ns=10.0, query__ns=10.0),
        point(study, insert__ns=12.34, query__ns=10.0),
    ]
    assert "a query is 1.23 times as fast as an insertion" in here(points)


def test_arms_of_several_runs_stand_side_by_side() -> None:
    both = [point(LOOKED_UP.format("tbm4"), arm, ops_s=4e6) for arm in ("A: a", "B: a")]
    (figure,) = drawn(both)
    specification = str(figure.specifications()[0])
    assert "yOffset" in specification
    assert [row["arm"] for row in figure.rows] == ["A: a", "B: a"]


def test_a_page_without_kernels_has_none_of_it() -> None:
    assert drawn([]) == []


def test_the_gallery_has_each() -> None:
    judged = replace(builder.nothing(), points=tuple(points()))
    names = {figure.name for figure in gallery.figures(builder.source(records=[], judged=judged))}
    assert {kernel.NAME.format(panel) for panel in ("lpm", "filter", "match")} <= names
