# SPDX-License-Identifier: Apache-2.0
"""A study in its own order: each printed value has a row, ours beside it or the reason why not."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import builder
import outlined
import pytest
import queued
from command import gatemark
from msgspec import structs

from gatemark.commands.coverage import shipped
from gatemark.judge.coverage.boxes import CLOCK
from gatemark.judge.coverage.coverage import coverage as covered
from gatemark.judge.math.interval import Interval
from gatemark.plan.load import load, suites
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Evidence
from gatemark.store.reference import Tally, entries
from gatemark.store.study.outline import NAMES, outline
from gatemark.store.study.requirement import requirements
from gatemark.tell import gallery
from gatemark.tell.chart.figure import Figure
from gatemark.tell.group.source import Source, judged
from gatemark.tell.study import coverage, markdown, report
from gatemark.tell.study.claimed import WORDS
from gatemark.tell.study.report import Section, sections
from gatemark.tell.study.values import LIMITED, NO_LIKE, NO_SECOND, OURS, in_words
from gatemark.tell.words.number import DASH, MINUS
from gatemark.tell.words.table import NONE

DESCRIBING = {"device_inventory", "testbed", "method"}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Source:
    """A made-up run of `wrt54`, `kofler` and `procbench`."""
    path = outlined.keep(tmp_path_factory.mktemp("run") / "run").path
    return judged(RunDirectory.open(path).contents(), path)


def test_a_command_in_a_reason_is_code() -> None:
    rows = covered(requirements(), shipped())
    text = coverage.page(rows, {}, {"kofler": Tally(1, 1, 0)})
    assert "<code>gatemark report RUN RUN</code>" in text


@pytest.fixture(scope="module")
def drawn(home: Source) -> Sequence[Figure]:
    """The figures of that run: a study's page has them, whatever its tables are of."""
    return gallery.figures(home)


def made(name: str, source: Source, figures: Sequence[Figure] = ()) -> dict[str, Section]:
    parts = sections(outline(name), [source], source, figures)
    return {section.part.number: section for section in parts}


def cells(section: Section, caption: str, row: str) -> tuple[str, ...]:
    table = next(table for _, table in section.tables if table.caption.startswith(caption))
    return next(cells for cells in table.rows if cells[0] == row)


def beside(section: Section, row: str, *, ours: bool = True) -> list[str]:
    """Cells of a row of what was published: ours, or those of the study's devices."""
    table = next(table for _, table in section.tables if table.caption.startswith("As published"))
    texts = next(texts for texts in table.rows if texts[0] == row)
    heads = list(zip(table.head, texts, strict=True))[1:]
    return [text for head, text in heads if head.startswith(OURS) == ours]


def test_every_printed_value_has_its_place() -> None:
    for study in map(outline, NAMES):
        printed = {value.experiment for value in entries(study.seed)}
        placed = [experiment for part in study.part for experiment in part.experiments]
        assert printed - DESCRIBING == set(placed), study.seed
        assert len(placed) == len(set(placed)), study.seed


def test_an_outline_names_what_exists(heads: set[str]) -> None:
    known = {plan.name for suite in suites() for plan in load(suite)[1]}
    strange: list[object] = []
    for study in map(outline, NAMES):
        facts = {v.parameter for v in entries(study.seed) if v.experiment == "device_inventory"}
        asked = [own for part in study.part for own in (*part.figures, *part.tables)]
        strange += [plan for part in study.part for plan in part.plans if plan not in known]
        strange += [fact for part in study.part for fact in part.inventory if fact not in facts]
        strange += [own for own in asked if own.partition("-")[0] not in heads]
    assert strange == []


def test_ours_stands_beside_what_was_printed(home: Source) -> None:
    section = made("wrt54", home)["Results table, lines 43 to 49"]
    row = "TCP, NATed: throughput"
    assert beside(section, row, ours=False)[:2] == ["47.5 Mbit/s", "34.2 Mbit/s"]
    (text,) = beside(section, row)
    first, second = text.split("; ")
    assert first == "↑ up: 47.5 (47.0-47.8) Mbit/s (mean 47.4)".replace("0-4", f"0{DASH}4")
    assert second.startswith("TCP, IPv4, 1500 B writes: 44.7")


def test_what_cannot_be_reproduced_has_a_row_with_the_reason(home: Source) -> None:
    section = made("wrt54", home)["Results table, lines 43 to 49"]
    row = "TCP over Wi-Fi, NATed: throughput"
    assert beside(section, row, ours=False)[:2] == ["23.5 Mbit/s", "10.5 Mbit/s"]
    assert beside(section, row) == ["none: Wi-Fi is out of scope"]


def test_a_value_that_no_run_has_says_so(home: Source) -> None:
    section = made("capture", home)["Table 2"]
    (text,) = beside(section, "UDP, NATed, as fast as it goes: highest throughput without loss")
    assert text == f"none: {NO_LIKE}"
    assert section.absent == ["capture/max"]
    assert (section.has_ours, section.lacking) == (False, "Not reproduced.")


def test_the_size_of_a_workload_is_that_of_our_kernel_s_report(home: Source) -> None:
    row = "counting Bloom filter: removes"
    (text,) = beside(made("procbench", home)["Table II"], row)
    assert text.startswith("none: the size of a workload")
    (record, *_) = home.records
    words = {"command": "filter", "structure": "cbf", "remove_operations": 96_000}
    reports = (
        {**words, "workload": "sized", "remove_operations": 7},
        words | {"workload": "study"},
    )
    ours = structs.replace(record, evidence=Evidence(kernels=reports))
    section = made("procbench", replace(home, records=[ours]))["Table II"]
    assert beside(section, row) == ["96000 count"]
    assert beside(section, row, ours=False)[0] == "96000 count"


def test_a_gain_is_told_in_its_unit_too(home: Source) -> None:
    section = made("wrt54", home)["Lines 55 to 57"]
    table = next(t for _, t in section.tables if "gained" in t.caption)
    gains = {(row[0], row[2]): row[4:6] for row in table.rows}
    assert gains["wrt54/paths: nat", "↑ up"] == (f"{MINUS}8.4 ± 0.4 Mbit/s", f"{MINUS}15.0 ± 0.7 %")
    assert not any("A/A" in row[0] for row in table.rows)


def test_a_gain_that_the_tester_limited_has_none_of_ours_and_says_so(home: Source) -> None:
    number, what = "Lines 55 to 57", "NAT against routing: NAT cost against route"
    bare = replace(home, beside=[])
    assert beside(made("wrt54", bare)[number], what) == [f"none: {NO_LIKE}"]
    comparisons = home.judgement.comparisons
    limited = tuple(structs.replace(comparison, at_least=True) for comparison in comparisons)
    judgement = structs.replace(home.judgement, comparisons=limited)
    section = made("wrt54", replace(bare, judgement=judgement))[number]
    assert beside(section, what) == [f"none: {LIMITED}"]


def test_a_value_in_words_is_tested_and_counted(home: Source) -> None:
    section, row = made("procbench", home)["Figure 5"], "the gateway itself: UDP against TCP"
    assert "UDP always lower than TCP" in beside(section, row, ours=False)
    (text,) = beside(section, row)
    assert text == f"none: {NO_LIKE}" or " in " in text


def test_a_ratio_of_two_devices_needs_two_runs(home: Source) -> None:
    number = "Results table, lines 43 to 49"
    row = "TCP, NATed: ratio, WRT54GS/WRTSL54GS"
    assert beside(made("wrt54", home)[number], row) == [f"none: {NO_SECOND}"]
    study = outline("wrt54")
    attic = structs.replace(home.run.station, name="attic")
    other = replace(home, label="B", run=structs.replace(home.run, station=attic))
    parts = sections(study, [replace(home, label="A"), other], home, ())
    section = next(part for part in parts if part.part.number == number)
    first, second = beside(section, row)
    assert (first, second[:3]) == (NONE, "1.0")
    assert second.endswith("times lab")


def gateway(home: Source, label: str, mhz: str, rate: float) -> Source:
    """One of several gateways: its clock, and operations a second of a look-up."""
    point = home.judgement.points[0]
    kernel = structs.replace(point.definition, l4="algorithm", kernel="lpm structure=tbm4")
    looked_up = structs.replace(
        point.about(definition=kernel), values={"ops_s": Interval(rate, rate, rate, 6, 0.969)}
    )
    judgement = structs.replace(home.judgement, points=(*home.judgement.points, looked_up))
    station = structs.replace(home.run.station, name=label)
    run = structs.replace(home.run, station=station, before={"gateway": {"cpu_mhz": mhz}})
    return replace(home, label=label, run=run, judgement=judgement)


def test_a_ratio_of_algorithms_is_that_of_all_points_of_two_gateways(home: Source) -> None:
    both = [gateway(home, "A", "680", 2e6), gateway(home, "B", "1600", 1e6)]
    parts = sections(outline("procbench"), both, home, ())
    section = next(part for part in parts if part.part.number == "Figure 6")
    assert beside(section, "look-ups: slowdown, eeePC vs AR7161") == [
        "0.500 times, 1 point A; the clock 2.35 times"
    ]


def unslowed(source: Source) -> Source:
    """The same as if the gateway had not been slowed."""
    points = tuple(
        p.about(definition=structs.replace(p.definition, slow_to_pps=0))
        for p in source.judgement.points
    )
    return replace(source, judgement=structs.replace(source.judgement, points=points))


def test_claims_on_clocks_are_tested_where_there_are_several_gateways(home: Source) -> None:
    full = unslowed(home)
    both = [gateway(full, "A", "680", 2e6), gateway(full, "B", "1360", 1e6)]
    study = outline("procbench")
    parts = sections(study, both, home, ())
    section = next(part for part in parts if part.part.number.startswith("Section V"))
    row = cells(section, "What the study claims of several boxes", WORDS[CLOCK])
    assert row[-2:] == ("clock 2.00 times", "holds")
    alone = sections(study, both[:1], home, ())
    captions = [table.caption for part in alone for _, table in part.tables]
    assert not any(caption.startswith("What the study claims of several") for caption in captions)


def test_runs_of_one_gateway_share_a_column(home: Source) -> None:
    both = [replace(home, label=label) for label in "AB"]
    parts = sections(outline("wrt54"), both, home, ())
    head = parts[0].tables[0][1].head
    assert head[-1] == "ours, lab (virtual)"


def test_a_mean_stands_behind_the_median_of_its_own_run(home: Source) -> None:
    doubled = [
        structs.replace(r, values={name: 2 * value for name, value in r.values.items()})
        for r in home.records
    ]
    twice = tuple(structs.replace(pair, measured=times(pair.measured, 2)) for pair in home.beside)
    again = replace(home, label="B", records=doubled, beside=twice)
    parts = sections(outline("wrt54"), [home, again], home, ())
    section = next(p for p in parts if p.part.number == "Results table, lines 43 to 49")
    (text,) = beside(section, "TCP, NATed: throughput")
    values = [value for value in text.split("; ") if "↑ up: " in value]
    first, second = (value.partition("↑ up: ")[2] for value in values)
    assert (first[:4], second[:4]) == ("47.5", "95.0")
    assert (first[-11:], second[-11:]) == ("(mean 47.4)", "(mean 94.9)")
    assert values[1].startswith("B, ")


def times(i: Interval, factor: float) -> Interval:
    return Interval(i.value * factor, i.lo * factor, i.hi * factor, i.n, i.level)


def test_a_bound_has_no_ratio_to_another_gateway(home: Source) -> None:
    number, row = "Results table, lines 43 to 49", "TCP, NATed: ratio, WRT54GS/WRTSL54GS"
    limited = tuple(structs.replace(pair, at_least=True) for pair in home.beside)
    both = [gateway(home, "A", "680", 1.0), gateway(home, "B", "680", 1.0)]
    both[1] = replace(both[1], beside=limited)
    for order in (both, both[::-1]):
        parts = sections(outline("wrt54"), order, home, ())
        section = next(part for part in parts if part.part.number == number)
        assert beside(section, row)[0] == f"none: {LIMITED}"


def test_a_kernel_of_several_runs_counts_by_their_median(home: Source) -> None:
    runs = [gateway(home, "A", "680", 2e6)]
    runs += [gateway(home, "B", "680", rate) for rate in (1e6, 3e6)]
    parts = sections(outline("procbench"), runs, home, ())
    section = next(part for part in parts if part.part.number == "Figure 6")
    (text,) = beside(section, "look-ups: slowdown, eeePC vs AR7161")
    assert text.startswith("1.00 times, 1 point A")


def test_runs_of_other_studies_have_no_place_on_the_page(
    home: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "figures", lambda _: [])
    plans = tuple(plan for plan in home.run.plans if plan.name.startswith("procbench/"))
    other = replace(home, label="A", run=structs.replace(home.run, plans=plans))
    page = report.parts(outline("wrt54"), [other, replace(home, label="B")])
    assert [source.run.plans for source in page.sources] == [home.run.plans]
    assert page.sources[0].label == ""
    assert page.others.startswith("1 run has no plan of this study and is left out: ")
    alone = report.parts(outline("wrt54"), [other])
    assert ([source.run for source in alone.sources], alone.others) == ([other.run], "")
    assert {pair.published.study for pair in page.sources[0].beside} == {"wrt54"}


@pytest.fixture(scope="module")
def heads() -> set[str]:
    """What texts of the report's modules begin with: so do the names of figures and tables."""
    files = Path(gallery.__file__).parent.rglob("*.py")
    return {head for file in files for head in re.findall(r'"([a-z]+)(?=[-"])', file.read_text())}


def test_a_figure_stands_where_the_study_has_it(home: Source, drawn: Sequence[Figure]) -> None:
    parts = made("kofler", home, drawn)
    names = [figure.name for figure in parts["Figure 1"].figures]
    assert names
    assert all(figure.plan == "kofler/block-size" for figure in parts["Figure 1"].figures)


def test_a_queue_stands_where_the_study_has_its_line() -> None:
    source = queued.source()
    parts = made("diffuse", source, gallery.figures(source))
    slow, fast = parts["Figures 6 and 7"], parts["Figures 8 and 9"]
    assert {figure.name for figure in slow.figures} >= {"waits-delay-home-up-1"}
    assert any(table.caption.startswith("Queues:") for _, table in slow.tables)
    assert fast.figures == []
    assert not any(table.caption.startswith("Queues:") for _, table in fast.tables)


def test_tables_of_a_part_are_of_its_own_plans(home: Source) -> None:
    """Another study's run of the same traffic would stand there without its name."""
    assert {point.plan for point in home.judgement.ceilings} == {"kofler/ceiling"}
    parts = {"kofler": "Section 5, the generator itself", "procbench": "Section IV-B"}
    for study, number in parts.items():
        captions = [table.caption for _, table in made(study, home)[number].tables]
        assert any("Tester's ceiling" in text for text in captions) == (study == "kofler")


def test_the_page_has_the_parts_in_the_studys_order(tmp_path: Path) -> None:
    outlined.keep(tmp_path / "one")
    done = gatemark("report", "--study", "wrt54", "one", cwd=tmp_path)
    assert (done.code, done.out) == (0, "study-wrt54.html\n")
    page = (tmp_path / "study-wrt54.html").read_text()
    places = [page.index(f'<section id="part-{n}"') for n in range(1, 6)]
    assert places == sorted(places)
    assert "virtual gateway" in page


def test_the_same_as_markdown_has_each_part_and_its_tables(tmp_path: Path) -> None:
    builder.keep(tmp_path / "one", builder.trials()[:6])  # of no study
    done = gatemark("report", "--study", "wrt54", "one", "--out", "wrt54.md", cwd=tmp_path)
    assert (done.code, done.out) == (0, "wrt54.md\n")
    text = (tmp_path / "wrt54.md").read_text()
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(heads) == len(outline("wrt54").part)
    assert "| 47.5 Mbit/s | 34.2 Mbit/s |" in text
    assert max(len(line) for line in text.splitlines() if not line.startswith("|")) <= 100


def test_a_run_that_was_stopped_says_how_much_is_missing(
    home: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "figures", lambda _: [])
    stopped = replace(home, judgement=structs.replace(home.judgement, missing=7))
    assert "stopped: 7 of its trials were not run" in markdown.render(outline("wrt54"), [stopped])


def test_an_unknown_study_is_refused(tmp_path: Path) -> None:
    builder.keep(tmp_path / "one", [])
    done = gatemark("report", "--study", "wrt45", "one", cwd=tmp_path)
    assert done.code == 2
    assert "wrt54" in done.err


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("throughput@block=>=128KiB", "throughput at block ≥ 128 KiB"),
        ("gain@block~MTU", "gain at block about MTU"),
        ("owd_mean@tcp_upload+DIFFUSE", "one-way delay mean at TCP upload+DIFFUSE"),
        ("throughput@frame>800B,both firmwares", "throughput at frame > 800 B, both firmwares"),
        ("udp6_vs_udp4", "UDP over IPv6 against UDP over IPv4"),
        ("cpu@CN+AN,5000flows", "CPU at classifier and action node, 5000 flows"),
        ("throughput@AN,20 rules,<80%CPU", "throughput at action node, 20 rules, < 80 % CPU"),
        ("cpu@netfilter+ipfw,8000pps", "CPU at netfilter+IPFW, 8000 packets/s"),
        ("e2e_loss@500", "end to end loss at 500 Mbit/s"),
        ("packets_per_second@frame=512B", "packets per second at frame 512 B"),
        ("max_throughput_0_loss", "highest throughput without loss"),
        ("window_plen", "window for packet lengths"),
    ],
)
def test_a_parameter_in_words(parameter: str, words: str) -> None:
    assert in_words(parameter) == words
