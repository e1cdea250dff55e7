# SPDX-License-Identifier: Apache-2.0
"""Instructions in print: table, waterfall, functions, time beside them, an A/B test's last line."""

import re
from dataclasses import replace as changed
from pathlib import Path

import builder
import counted
import drawn
import pytest
import stacked
from msgspec.structs import replace
from typer import Exit

from gatemark.commands import ab as command
from gatemark.judge.capacity.count import counts
from gatemark.judge.capacity.term import Setup
from gatemark.judge.change.exact_ab import findings
from gatemark.store.directory import RunDirectory
from gatemark.store.record import AtRate, Evidence
from gatemark.tell import gallery, terminal
from gatemark.tell.answer import exact, priced
from gatemark.tell.card import cards
from gatemark.tell.chart import ladder as chart
from gatemark.tell.export.form import export
from gatemark.tell.group.source import Source
from gatemark.tell.group.together import together
from gatemark.tell.sentence.answer import answered
from gatemark.tell.verb import exact_ab, fit_exact
from gatemark.tell.words import traffic
from gatemark.tell.words.run import repeat_plan
from gatemark.tell.words.table import NONE


@pytest.fixture(scope="module")
def source() -> Source:
    return counted.source()


def rows(source: Source) -> dict[str, tuple[str, ...]]:
    (made,) = exact.tables(source.judgement)
    return {row[0]: row for row in made.rows}


def test_each_arm_has_its_number_and_its_step(source: Source) -> None:
    assert rows(source)["101 rules"][1:5] == ("3070", "100 rules", "+20", "+0.66")
    assert rows(source)["route"][1:3] == ("1000", NONE)


def test_an_a_a_step_says_that_it_is_zero(source: Source) -> None:
    assert rows(source)["route again"][5] == "A/A, zero"


def test_functions_and_other_modes_stand_in_the_row(source: Source) -> None:
    row = rows(source)["conntrack"]
    assert row[6] == "nf_conntrack_in +300, __siphash_aligned +100"
    assert row[7:] == ("3 of 3", "70", "+1200 timer tick (20 %); +12 hash (10 %)")


def test_each_step_unfolds_into_functions(source: Source) -> None:
    found = dict(exact.folds(source.judgement))
    assert set(found) == {
        f"functions-made-steps-{n}" for n in ("conntrack", "100-rules", "101-rules")
    }
    made = found["functions-made-steps-conntrack"]
    assert made.caption == "conntrack against route: +400 instructions a packet (+40.00 %)"
    assert made.rows[0] == ("nf_conntrack_in", "+300", "0", "300", "0 → 1", "new")


def test_the_waterfall_is_in_instructions(source: Source) -> None:
    figure = drawn.of(chart.WATERFALL, chart.ladders(source.judgement)[0])
    assert figure.title.startswith("100 rules costs +2050 instructions a packet (+205.00 %)")
    found = {str(row["arm"]): row for row in figure.rows}
    assert found["101 rules"]["start"] == found["100 rules"]["end"] == 3050
    assert (found["route"]["text"], found["route again"]["text"]) == ("1000", "0")
    assert "stepinstructions" not in str(figure.columns)


def test_page_and_terminal_have_it(source: Source) -> None:
    text = drawn.page("counted")
    assert 'id="functions-made-steps-conntrack"' in text
    assert 'id="ladder-made-steps"' in text
    said = terminal.answer(source, None, whole=True)
    assert "made/steps: instructions of one packet" in said


def test_the_card_is_in_instructions(source: Source) -> None:
    (found,) = [
        one for one in cards.cards(source.judgement, source.run.plans) if "Cost" in one.title
    ]
    assert (found.value, found.unit) == ("+400", "instructions a packet")


def test_of_two_runs_each_has_its_own(source: Source) -> None:
    two = together([changed(source, label="A"), changed(source, label="B")])
    every = drawn.every(chart.WATERFALL, chart.ladders(two.judgement))
    names = [figure.name for figure in every]
    assert names == ["ladder-made-steps-a", "ladder-made-steps-b"]
    assert {one.arm[:3] for one in two.judgement.executed} == {"A: ", "B: "}


def timed(station: str, architecture: str = "") -> Source:
    """A timed ladder of the same setups, on a station of that name."""
    records = stacked.trials()
    made = stacked.run(records)
    where = replace(counted.STATION, name=station)
    told = {"gateway": {"architecture": architecture, "kernel": "Linux 6.18.1 x86_64"}}
    made = replace(made, station=where, before=told)
    return Source(run=made, records=records, judgement=answered(made, records), label="B")


def test_time_stands_beside_instructions_of_the_same_station(source: Source) -> None:
    made = priced.table([changed(source, label="A"), timed("qemu-mips")])
    found = {row[0]: row for row in made.rows}
    assert set(found) == {"A: route", "A: route again", "A: conntrack"}
    _, count, time, each, against, by, ns, of_them, where = found["A: conntrack"]
    assert where == "qemu-mips, Linux 6.18.1"
    assert (count, against, by) == ("1400", "route", "+400")
    assert float(each) == pytest.approx((1137 + 341) / 1400, rel=0.1)
    assert float(of_them) == pytest.approx(341 / 400, rel=0.3)
    assert found["A: route again"][-2] == NONE
    assert time
    assert re.fullmatch(r"\+\d+ (± \d+|\(\d+\W\d+\))", ns)  # of the differences within blocks


def test_another_stations_time_does_not(source: Source) -> None:
    assert priced.table([changed(source, label="A"), timed("other", "x86_64")]).rows == ()


def test_the_time_of_a_like_processor_does_and_says_where(source: Source) -> None:
    told = {"gateway": {"architecture": "x86_64"}}
    one = changed(source, label="A", run=replace(source.run, before=told))
    made = priced.table([one, timed("lab", "x86_64")])
    assert {row[-1] for row in made.rows} == {"lab, Linux 6.18.1"}
    own = priced.table([one, timed("lab", "x86_64"), timed("qemu-mips")])
    assert {row[-1] for row in own.rows} == {"qemu-mips, Linux 6.18.1"}


def test_time_below_overload_is_no_price(source: Source) -> None:
    made = timed("qemu-mips")
    easy = tuple(replace(point, limit="none") for point in made.judgement.points)
    idle = changed(made, judgement=replace(made.judgement, points=easy))
    assert priced.table([changed(source, label="A"), idle]).rows == ()


def test_a_protocol_is_a_point_of_its_own() -> None:
    (made,) = exact.tables(counted.by_protocol().judgement)
    assert made.caption.endswith("64-byte frames, IPv4, 1 flow")
    steps = {row[:2]: row[4] for row in made.rows}
    assert steps["conntrack", "UDP"] == "+400"
    assert steps["conntrack", "TCP"] == "+755"


def test_the_time_of_udp_is_none_of_tcp() -> None:
    of_tcp = counted.by_protocol()
    made = priced.table([changed(of_tcp, label="A"), timed("qemu-mips")])
    assert [row[1] for row in made.rows] == ["1000", "1400"]


def test_a_segment_is_told_by_its_size() -> None:
    found = {one.definition.l4: one.definition for one in counted.by_protocol().judgement.executed}
    assert traffic.load(found["tcp"]) == "↑ up, TCP, 64 B"
    assert traffic.traffic(found["tcp"]) == "64-byte frames, TCP over IPv4, 1 flow"
    assert traffic.load(found["udp"]) == "↑ up, 64 B"


def test_a_row_of_sizes_is_a_line() -> None:
    figure = drawn.of(chart.SIZES, chart.walks(counted.modelled().judgement)[0])
    assert {row["way"] for row in figure.rows} == {"↑ up", "↓ down"}
    assert figure.title == "route: from 64 to 1518 bytes a packet costs +896 instructions"


def test_many_points_have_one_curve_and_no_waterfalls() -> None:
    arms = counted.ARMS[:2]
    points = [{"frame_bytes": size} for size in (64, 128, 256, 512, 1518)]
    found = [counted.record(counted.NAME, a, 1, point=dict(p)) for p in points for a in arms]
    judged = answered(counted.run(found), found)
    assert chart.ladders(judged) == []
    assert len(exact.tables(judged)) == 1


def test_a_model_in_instructions_is_drawn_in_instructions() -> None:
    made = counted.modelled()
    found = {figure.name: figure for figure in gallery.figures(made)}
    assert "packets/s" not in str(found["predicted"].columns)
    assert "instructions" in found["time-per-packet"].title


def test_fit_tells_instructions_and_no_rate() -> None:
    model = counted.model()
    (up, _) = counts(model, Setup("nat", ("filter:50",)), 64)
    text = "\n".join(text for _, text in fit_exact.lines(model, [("frames of 64 B", up)]))
    assert f"{counted.executes('nat', ('filter:50',), 'up', 64)} instructions a packet" in text
    assert fit_exact.NO_RATE in text
    assert "bit/s" not in text


def last_line(made: Source) -> str:
    assert made.run.ab is not None
    found = findings(made.run.ab, made.judgement)
    return [text for _, text in exact_ab.lines(made, made.run.ab, found, Path("page"))][-1]


@pytest.mark.parametrize(
    ("rules", "allow", "said"),
    [
        (100, 0.01, "OK: new needs as many instructions a packet as old; accepted is 1.00 %"),
        (101, 0.01, "OK: new needs 20 instructions a packet more (+0.66 %); accepted is 1.00 %"),
        (
            200,
            0.01,
            "REGRESSION: new needs 2000 instructions a packet more (+65.57 %); accepted is 1.00 %",
        ),
    ],
)
def test_the_last_line_is_the_verdict(rules: int, allow: float, said: str) -> None:
    assert last_line(counted.compared(rules, allow)) == said


@pytest.mark.parametrize(("rules", "code"), [(101, 0), (200, 3)])
def test_a_test_ends_with_its_code(rules: int, code: int, tmp_path: Path) -> None:
    made = counted.compared(rules)
    directory = RunDirectory.create(tmp_path / "run", made.run)
    for record in made.records:
        directory.append(record)
    assert code_of(directory) == code


def code_of(directory: RunDirectory) -> int:
    try:
        command._tell(directory, json_=True)
    except Exit as ended:
        return ended.exit_code
    return 0


def test_a_row_of_a_test_has_its_functions() -> None:
    made = counted.compared()
    assert made.run.ab is not None
    (row,) = exact_ab.rows(made.run.ab, findings(made.run.ab, made.judgement))
    assert (row["difference"], row["verdict"]) == (20, "within what is accepted")
    assert row["functions"] == [
        {
            "function": "nft_do_chain",
            "difference": 20,
            "old": 2050,
            "new": 2070,
            "old_calls": 1,
            "new_calls": 1,
        }
    ]


def test_a_csv_of_values_has_the_functions(source: Source) -> None:
    text = export("csv", [source]).decode()
    assert "function" in text.splitlines()[0].split(",")
    assert sum("step_function_instructions" in row for row in text.splitlines()) == 4


def test_a_run_asked_exactly_is_repeated_so() -> None:
    plans = [counted.plan("cost/ladder-exact"), counted.plan("cost/tune-exact")]
    made = counted.run([], plans, command=("gatemark", "run", "cost", "--exact", "--seed", "5"))
    assert repeat_plan(made, "cost/ladder-exact") == ("gatemark run cost/ladder --exact --seed 5")


def test_a_run_in_time_has_no_such_tables() -> None:
    assert exact.tables(builder.judgement()) == []
    assert exact.folds(builder.judgement()) == []


def test_functions_at_a_rate_are_by_packet_without_rest() -> None:
    seen = AtRate(
        packets=100,
        instructions=52_000,
        lasts_s=2.0,
        functions={"ip_forward": (50_000, 200), "tick": (2_000, 20)},
        idle_instructions=1_000,
        idle_s=1.0,
        idle_functions={"tick": (1_000, 10)},
    )
    one = counted.trials()[0]
    values = {"instructions_at_rate": 500.0}
    record = replace(one, values=values, evidence=Evidence(at_rate=seen))
    ((_, made),) = exact.at_rate([record])
    assert made.rows == (("ip_forward", "500.0", "2.00"), ("tick", "0.0", "0.00"))
    assert made.caption == "route: 500 instructions a packet at a rate"
