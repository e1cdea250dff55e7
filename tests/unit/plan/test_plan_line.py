# SPDX-License-Identifier: Apache-2.0
"""`[line]`: keys of both ways and of one, factors, variants, `--set`, refusals; what it takes."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.error import UsageError
from gatemark.plan.expand import applies, override, points
from gatemark.plan.line.keys import WAYS, line_at
from gatemark.plan.line.time import in_words, line_bits, longest_s, silence_s
from gatemark.plan.load import read_plan
from gatemark.plan.model import Line, LineWay, Plan
from gatemark.plan.order import order

HEAD = """\
schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"
setup.path = "route"
[workload]
rate_pps = 100
"""
HOME = "[line]\nrate_bps = 1e6\n[line.down]\nrate_bps = 15e6\nbuffer_bytes = 30000\n"


def written(tmp_path: Path, text: str, variant: str = "", head: str = HEAD) -> Plan:
    path = tmp_path / "plan.toml"
    path.write_text(head + text)
    return read_plan(path, "s/plan", variant)


def refused(tmp_path: Path, text: str, head: str = HEAD) -> str:
    with pytest.raises(UsageError) as error:
        written(tmp_path, text, head=head)
    return str(error.value).removeprefix(f"{tmp_path}/")


def at(plan: Plan) -> list[Line]:
    lines = [line_at(plan, point) for point in points(plan)]
    return [line for line in lines if line]


def test_a_key_is_of_both_ways_unless_a_way_has_its_own(tmp_path: Path) -> None:
    line = written(tmp_path, HOME).line
    assert line == Line(up=LineWay(rate_bps=1e6), down=LineWay(rate_bps=15e6, buffer_bytes=30_000))


def test_a_buffer_of_one_way_replaces_that_of_both_in_the_other_word(tmp_path: Path) -> None:
    text = "[line]\nrate_bps = 1e6\nbuffer_packets = 20\n[line.up]\nbuffer_bytes = 9000\n"
    line = written(tmp_path, text).line
    assert line
    assert [(way.buffer_packets, way.buffer_bytes) for way in (line.up, line.down)] == [
        (0, 9000),
        (20, 0),
    ]


def test_factors_are_of_both_ways_or_of_one(tmp_path: Path) -> None:
    sweep = "[sweep]\nline.rate_bps = [1e6, 2e6]\nline.up.buffer_packets = [10, 50]\n"
    lines = at(written(tmp_path, HOME + sweep))
    assert [(i.up.rate_bps, i.down.rate_bps, i.up.buffer_packets) for i in lines] == [
        (1e6, 1e6, 10),
        (1e6, 1e6, 50),
        (2e6, 2e6, 10),
        (2e6, 2e6, 50),
    ]
    assert {line.down.buffer_bytes for line in lines} == {30_000}


def test_a_case_varies_the_line(tmp_path: Path) -> None:
    case = '[[sweep.case]]\nline.aqm = "codel"\nline.down.fixed_ms = 5\n'
    (line,) = at(written(tmp_path, HOME + case))
    assert (line.up.aqm, line.down.aqm, line.up.fixed_ms, line.down.fixed_ms) == (
        *("codel", "codel"),
        *(0, 5),
    )


def test_a_variant_is_put_over_the_line(tmp_path: Path) -> None:
    text = HOME + "[variant.far.line]\nfixed_ms = 40\n[variant.far.line.up]\nrate_bps = 2e6\n"
    line = written(tmp_path, text, "far").line
    assert line
    assert (line.up.rate_bps, line.down.rate_bps) == (2e6, 15e6)
    assert (line.up.fixed_ms, line.down.fixed_ms) == (40, 40)


def test_a_setting_changes_the_line_where_there_is_one(tmp_path: Path) -> None:
    plan = written(tmp_path, HOME)
    assert applies(plan, "line.rate_bps")
    assert not applies(written(tmp_path, ""), "line.rate_bps")
    changed = override(plan, {"line.up.buffer_packets": 7, "line.rate_bps": 3e6}).line
    assert changed
    assert (changed.up.buffer_packets, changed.down.rate_bps) == (7, 3e6)
    with pytest.raises(UsageError, match=r"--set line\.rate: no such key; did you mean"):
        applies(plan, "line.rate")


def test_every_trial_has_its_line(tmp_path: Path) -> None:
    plan = written(tmp_path, HOME + "[sweep]\nline.rate_bps = [1e6, 2e6]\n")
    trials = order((plan,), seed=1)
    assert {spec.line.up.rate_bps for spec in trials if spec.line} == {1e6, 2e6}
    assert len({spec.trial for spec in trials}) == len(trials)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[line]\nrate = 1\n", "plan.toml:9: unknown key 'rate' in [line]; did you mean"),
        ("[line.up]\noverload = true\n", "plan.toml:9: unknown key 'overload' in [line.up]"),
        ('[line]\naqm = "cake"\n', "plan.toml:9: line.up.aqm: 'cake' is none of its words; known"),
        ("[line]\nrate_bps = 1e9\n", "plan.toml:9: `rate_bps` = 1e+09 of [line.up]: the tester"),
        ("[line]\nrate_bps = 100\n", "plan.toml:9: `rate_bps` = 100 of [line.up]: the tester"),
        ("[line]\nloss = 1.5\n", "plan.toml:9: `loss` = 1.5 of [line.up]: 0 to 1"),
        ("[line]\noverhead_bytes = -20\n", "`overhead_bytes` = -20 of [line.up]: -14 (IP"),
        (
            "[line]\nbuffer_packets = 1\nbuffer_bytes = 1\n",
            "plan.toml:9: `buffer_packets` and `buffer_bytes` of [line.up] say the same thing",
        ),
        ("[sweep]\nline.rate_bps = [1e6]\n", "plan.toml:9: `line.rate_bps`: this plan has no"),
        ("[line]\nrate_bps = 4e4\n", "plan.toml:7: `rate_pps`: 48 kbit/s on the line up is more"),
        ("line = 3\n", "line"),
    ],
)
def test_what_cannot_be_had_is_refused_in_a_line(tmp_path: Path, text: str, words: str) -> None:
    assert words in refused(tmp_path, text)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (('"route"', '"switch"'), "the path switch does not lead there: write route, nat, direct"),
        (("rate_pps = 100", 'kind = "walk"'), "`kind` = walk: it waits for single packets"),
        (("rate_pps = 100", "rate_pps = 0"), "`rate_pps`: as fast as it goes up is more than"),
    ],
)
def test_what_does_not_go_over_a_line_is_refused(
    tmp_path: Path, change: tuple[str, str], words: str
) -> None:
    assert words in refused(tmp_path, HOME, HEAD.replace(*change))


def test_overload_is_asked_for(tmp_path: Path) -> None:
    slow = "[line]\nrate_bps = 4e4\n"
    assert written(tmp_path, slow + "overload = true\n").line
    assert "overload = true" in refused(tmp_path, slow)


def test_what_makes_values_comparable_is_told_in_words() -> None:
    way = LineWay(rate_bps=15e6, overhead_bytes=-14)
    assert in_words(None) == ""
    assert in_words(Line(up=way, down=way)) == "15 Mbit/s, 50 packets, overhead -14 bytes"
    down = LineWay(rate_bps=5e5, buffer_bytes=9000, aqm="codel", fixed_ms=1.5, loss=0.01, atm=True)
    assert in_words(Line(up=way, down=down)) == (
        "up 15 Mbit/s, 50 packets, overhead -14 bytes; "
        "down 500 kbit/s, 9000 bytes, codel, 1.5 ms, loss 1 %, ATM"
    )


few = settings(max_examples=settings().max_examples // 4)
rates = st.floats(8e3, 9.9e8)
ways = st.builds(
    LineWay,
    rate_bps=rates,
    buffer_packets=st.integers(0, 1000),
    fixed_ms=st.floats(0, 1e4),
    overhead_bytes=st.integers(-14, 256),
    atm=st.booleans(),
)


@few
@given(ways, ways)
def test_lines_that_differ_are_told_apart(one: LineWay, other: LineWay) -> None:
    lines = [Line(up=way, down=other) for way in (one, other)]
    same = in_words(lines[0]) == in_words(lines[1])
    near = [(f"{w.rate_bps:.5g}", f"{w.fixed_ms:.5g}") for w in (one, other)]
    assert same or one != other
    assert not same or near[0] == near[1]


@few
@given(ways, ways)
def test_a_buffer_is_never_over_before_its_next_frame(up: LineWay, down: LineWay) -> None:
    line = Line(up=up, down=down)
    assert 0 < silence_s(line) <= longest_s(line)


def test_a_full_frame_at_a_megabit_takes_twelve_milliseconds() -> None:
    way = LineWay(rate_bps=1e6)
    assert line_bits(way, 1518) == 12_112
    assert silence_s(Line(up=way)) == pytest.approx(12.112e-3)
    assert longest_s(Line(up=way)) == pytest.approx(51 * 12.112e-3)


def test_atm_fills_cells() -> None:
    """40 bytes and 8 of AAL5 with PPPoE's are one cell; a byte more is two."""
    bits = [line_bits(LineWay(atm=True, overhead_bytes=0), size) for size in (52, 53)]
    assert bits == [8 * 53, 8 * 106]


def test_both_ways_are_those_of_the_structure() -> None:
    assert set(WAYS) <= set(Line.__struct_fields__)
