# SPDX-License-Identifier: Apache-2.0
"""`diff` and `cmp` in print."""

import re

import builder
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gatemark.judge.change.cmp import Cell, Clock, Cmp
from gatemark.judge.change.comparable import Difference
from gatemark.judge.change.compare import compare, untold
from gatemark.judge.change.diff import Compared, Diff, Noise, Side
from gatemark.judge.change.diff import diff as compare_runs
from gatemark.judge.change.sampled import Sampled
from gatemark.judge.judgement import Change
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition
from gatemark.tell.verb import cmp, diff
from gatemark.tell.words.change import verdict
from gatemark.tell.words.number import DASH, MINUS
from gatemark.tell.words.table import FAMILY

SIX = (0.997, 0.998, 0.999, 1.0, 1.001, 1.002)
NOISE = Noise(0.01, 0.0)


def row(rate: float, *, path: str = "nat", at_least: bool = False, spread: float = 1.0) -> Sampled:
    return Sampled(
        subject=Subject(
            plan="p",
            arm=path,
            setup=path,
            definition=Definition(path=path, frame_bytes=64, flows=64),
        ),
        asked={"rate_pps": 0.0},
        quantity="received_pps",
        samples=tuple(rate * (1 + spread * (share - 1)) for share in SIX),
        limit="cpu",
        at_least=at_least,
    )


def change(old: Sampled, new: Sampled) -> Change:
    return compare(old.samples, new.samples)


def told(*pairs: tuple[Sampled, Sampled], **fields: object) -> list[str]:
    rows = tuple(Compared(old, new, change(old, new), ()) for old, new in pairs)
    made = {"rows": rows, "ceilings": (), "only_old": (), "only_new": (), "noise": NOISE}
    return lines(Diff(**{**made, "conditions": (), **fields}))  # type: ignore[arg-type]


def lines(found: Diff) -> list[str]:
    return [text for _, text in diff.diff_lines(found, ("monday", "friday"))]


def test_runs_alike_say_which_change_would_have_been_seen() -> None:
    assert told((row(30_000), row(30_000)))[0] == (
        "no difference seen; a change of 1.4 % would have been: friday against monday, 1 value "
        "(received)"
    )


def test_the_value_that_could_show_least_says_what_would_have_been_seen() -> None:
    wide = row(30_000, path="route", spread=4)
    first = told((row(30_000), row(30_000)), (wide, wide))[0]
    seen = re.match(r"no difference seen; a change of ([\d.]+) % would have been: ", first)
    assert seen
    assert float(seen[1]) > 2


def test_repeats_that_would_hide_a_large_change_deny_none() -> None:
    wide = row(30_000, path="route", spread=60)
    first = told((row(30_000), row(30_000)), (wide, wide))[0]
    assert first.startswith("cannot be told: the repeats spread so far that a change of ")
    assert " % could hide: friday against monday, 2 values" in first


def test_values_that_could_show_nothing_are_counted() -> None:
    limited = row(30_000), row(30_000, at_least=True)
    first = told((row(30_000), row(30_000)), limited)[0]
    assert first.startswith("no difference seen; a change of 1.4 % would have been; 1 limited by ")


def test_the_first_line_counts_what_changed() -> None:
    first = told((row(30_000), row(24_000)), (row(24_000), row(30_000)))[0]
    assert first == "1 slower, 1 faster: friday against monday, 2 values (received)"


def test_a_difference_within_noise_is_not_denied() -> None:
    old, new = row(30_000), row(27_000)
    within = Compared(old, new, compare(old.samples, new.samples, 0.3), ())
    first = told(rows=(within,))[0]
    assert first.startswith("no difference beyond noise seen; a change of 30.5 % would have been: ")


def test_a_large_difference_that_is_not_sure_is_told() -> None:
    old, new = (replace(row(rate), samples=(rate, rate)) for rate in (30_000, 24_000))
    first = told((row(30_000), row(30_000)), (old, new))[0]
    assert first.startswith(
        "inconclusive: 1 of 2 values differs by up to 20.0 %; 1 with too few repeats to show any: "
    )


def test_a_difference_of_limited_values_is_told_if_it_is_larger_than_the_claim() -> None:
    old, new = row(30_000), row(24_000, at_least=True)
    first = told(rows=(Compared(old, new, untold(change(old, new)), ()),))[0]
    assert first.startswith("inconclusive: 1 of 1 value differs by up to 20.0 %; 1 limited by the ")


def test_a_tester_that_changed_comes_first() -> None:
    old, new = (row(rate, path="direct") for rate in (412_000, 288_400))
    tester = Compared(old, new, change(old, new), ())
    pairs = (row(30_000), row(15_000)), (row(30_000), row(27_000))
    assert told(*pairs, tester=tester)[0] == (
        f"not comparable: the tester itself changed by {MINUS}30.00 ± 0.21 %; 1 slower by more "
        "than that: friday against monday, 2 values (received)"
    )


# --- the first line and the rows, whatever they are


@st.composite
def samples(draw: st.DrawFn) -> tuple[float, ...]:
    """Up to eight repeats, more or less near a rate."""
    rate, spread = draw(st.floats(1e4, 4e4)), draw(st.sampled_from((0.001, 0.02, 0.5)))
    places = draw(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
    return tuple(rate * (1 + spread * place) for place in places)


@st.composite
def sides(draw: st.DrawFn) -> tuple[Side, Side]:
    """Two runs of a virtual gateway, with a ceiling or without, and with one to five values."""
    source = builder.source()
    rows: list[tuple[Sampled, Sampled]] = []
    for size in range(draw(st.integers(0, 1)), draw(st.integers(2, 6))):
        at_least, path = size > 0 and draw(st.booleans()), "nat" if size else "direct"
        one = row(1.0, path=path, at_least=at_least)
        one = one.about(definition=replace(one.definition, frame_bytes=64 + size))
        old = replace(one, samples=draw(samples()))
        like = tuple(x * draw(st.sampled_from((0.5, 0.97, 1.0))) for x in old.samples)
        rows.append((old, replace(one, samples=draw(st.one_of(st.just(like), samples())))))
    old_rows, new_rows = zip(*rows, strict=True)
    run, judgement = source.run, source.judgement
    return Side(run, judgement, old_rows), Side(run, judgement, new_rows)


@given(sides(), st.sampled_from((0.01, 0.3)))
def test_the_first_line_contradicts_no_row(sides: tuple[Side, Side], noise: float) -> None:
    old, new = sides
    found = compare_runs(old, new, noise=noise)
    first = lines(found)[0]
    verdicts = [one.change.verdict for one in found.rows]
    most = 100 * max(abs(one.change.change.value) for one in found.rows)
    if found.tester:
        assert first.startswith("not comparable: ")
    elif match := re.match(r"inconclusive: \d+ of \d+ values? differs? by up to (\S+) %", first):
        assert float(match[1]) == pytest.approx(most, abs=0.051)
        assert not {"slower", "faster"} & set(verdicts)
    elif match := re.match(r"no difference.* seen(?:; a change of (\S+) % would)?", first):
        assert most <= float(match[1] or 100 * found.noise.ratio) + 0.051
        assert not {"slower", "faster"} & set(verdicts)
    else:
        for verdict in ("slower", "faster"):
            counted = re.search(rf"(\d+) {verdict}", first)
            assert int(counted[1] if counted else 0) == verdicts.count(verdict)


def test_it_says_of_what_p_and_intervals_are() -> None:
    assert told((row(30_000), row(30_000)))[-1] == FAMILY


def test_a_row_reads_like_benchstat() -> None:
    head, body = told((row(30_000), row(24_000)))[3:5]
    assert head.split("  ")[-1] == "verdict"
    assert body == (
        "  nat, ↑ up, 64 B, 64 flows      29.98 ± 0.08      23.99 ± 0.06  "
        f"{MINUS}20.00 ± 0.24        0.002     1.4  slower"
    )


def test_a_gain_has_its_sign() -> None:
    assert "+25.0 ± 0.4" in told((row(24_000), row(30_000)))[4]


def test_no_change_has_no_sign() -> None:
    assert " 0.0 ± 0.3" in told((row(30_000), row(30_000)))[4]


def test_a_lower_bound_is_marked_and_has_no_verdict() -> None:
    body = told((row(30_000), row(40_000, at_least=True)))[4]
    assert "≥ 39.98" in body
    assert body.endswith("inconclusive (tester-limited)")


def test_inconclusive_says_what_would_tell() -> None:
    inconclusive = compare([100, 101, 102], [100, 101, 102])
    assert verdict(inconclusive, at_least=False) == "inconclusive (about 1 more repeat)"


def test_a_change_from_nothing_has_no_number() -> None:
    body = told((row(0), row(40_000)))[4]
    assert "1000000" not in body.replace(" ", "")


def test_rows_of_one_run_are_listed() -> None:
    found = told((row(30_000), row(30_000)), only_new=(row(20_000, path="route"),))
    expected = "only in NEW: route, ↑ up, 64 B, 64 flows, received: 19.99 ± 0.05 k packets/s"
    assert expected in found


def test_noise_tells_where_it_is_from() -> None:
    old, new = row(40_000, path="direct"), row(40_000, path="direct")
    ceiling = Compared(old, new, compare(old.samples, new.samples, 0.05), ())
    found = told((row(30_000), row(30_000)), noise=Noise(0.01, 0.02), ceilings=(ceiling,))[-2]
    assert found == (
        "noise: up to 2.00 % is not told (1.00 % at least; an arm differed from itself (A/A) by "
        "2.00 %); of the tester's ceiling up to 5.00 %"
    )


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("6.1", "6.6", "differs: k: 6.1 → 6.6"),
        (None, "6.6", "differs: k: none → 6.6"),
        ("a" * 90 + "1", "a" * 90 + "2", f"differs: k: …{'a' * 15}1 → …{'a' * 15}2"),
        ("a\nb\nc", "a\nB\nC", "differs: k: b (and 1 lines more) → B (and 1 lines more)"),
    ],
)
def test_a_condition_is_told_in_a_line(old: str | None, new: str, text: str) -> None:
    found = told((row(30_000), row(30_000)), conditions=(Difference("k", old, new),))
    assert found[-1] == text


def side_by_side(*cells: Cell | None) -> list[str]:
    facts = tuple((Difference("kernel", "", "6.1"),) for _ in cells)
    made = Cmp(rows=(cells,), conditions=facts)
    return [text for _, text in cmp.cmp_lines(made, ["one", "two"])]


RATIO = Interval(0.72, 0.71, 0.73, 6, 0.96)


def test_a_run_without_a_value_has_a_dash() -> None:
    assert side_by_side(Cell(row(30_000)), None)[7].split()[-2:] == [DASH, DASH]


def test_the_clocks_stand_beside_the_ratio() -> None:
    found = side_by_side(
        Cell(row(30_000)), Cell(row(21_600), RATIO, Clock("cpu_mhz", 0.752, False))
    )
    assert found[7].endswith("0.720 ± 0.010  0.752 not held")


@pytest.mark.parametrize(
    ("bound", "text"),
    [("at least", "≥ 0.720 ± 0.010"), ("at most", "≤ 0.720 ± 0.010"), ("none", DASH)],
)
def test_a_ratio_with_a_bound_is_marked(bound: str, text: str) -> None:
    assert side_by_side(Cell(row(3)), Cell(row(2), RATIO, bound=bound))[7].endswith(text)
