# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal: nothing is wider, and nothing is lost."""

import string
from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gatemark.tell.words.fold import Folded, fold
from gatemark.tell.words.table import Table

LETTERS = string.ascii_letters + string.digits + " .±→≥µ%()"
TEXTS = st.text(LETTERS, max_size=60)
NUMBERS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(("", "≥ ")),
    st.integers(0, 9999),
    st.sampled_from(("", ".0", ".25", ".125")),
    st.sampled_from(("", " ± 0.3")),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any table: up to nine columns of text or numbers."""
    kinds = draw(st.lists(st.booleans(), min_size=1, max_size=9))
    row = st.tuples(*(NUMBERS if is_number else TEXTS for is_number in kinds))
    numeric = frozenset(at for at, is_number in enumerate(kinds) if is_number)
    head = draw(st.tuples(*(TEXTS for _ in kinds)))
    rows = tuple(draw(st.lists(row, max_size=5)))
    return Table(draw(TEXTS), head, rows, numeric, noted=draw(st.booleans()))


def printed(folded: Folded) -> list[str]:
    rows = [line for row in folded.rows for line in row]
    return [*folded.caption, *folded.head, *rows, *folded.notes]


def letters(*texts: str) -> Counter[str]:
    return Counter("".join("".join(text.split()) for text in texts))


@given(tables(), st.integers(40, 200))
def test_no_line_is_wider_and_no_text_of_a_cell_is_lost(table: Table, width: int) -> None:
    folded, plain = fold(table, width), replace(table, noted=False)
    assert [line for line in printed(folded) if len(line) > width] == []
    once = {text for column in zip(*plain.rows, strict=True) for text in {*column}}
    rows = [cell for row in plain.rows for cell in row]
    is_whole = max(map(len, table.lines())) <= width and not table.noted
    assert letters(*(rows if is_whole else once)) <= letters(*printed(folded))

    piped = fold(table, None)
    lines = [line for row in piped.rows for line in row]
    assert [*piped.head, *lines, *piped.notes] == table.lines()


RATES = Table(
    "received",
    ("what", "old, k packets/s", "new, k packets/s", "verdict"),
    (
        ("route, up, 64 B", "30.1 ± 0.2", "30.0 ± 0.2", "no change"),
        ("nat, up, 64 B", "9.4 ± 0.1", "8.1 ± 0.1", "no change"),
    ),
    frozenset({1, 2}),
)


def test_a_table_that_fits_stays_as_it_is() -> None:
    assert printed(fold(RATES, 80)) == ["received", *RATES.lines()]


def test_a_column_of_one_value_goes_to_the_caption() -> None:
    folded = fold(RATES, 60)
    assert folded.caption == ["received; verdict: no change"]
    assert folded.rows[1] == ["nat, up, 64 B           9.4 ± 0.1         8.1 ± 0.1"]


def test_a_head_wraps_before_a_number_does() -> None:
    folded = fold(RATES, 45)
    assert folded.head == [
        "what                  old, k         new, k",
        "                   packets/s      packets/s",
    ]


def test_what_does_not_fit_at_all_is_a_block_for_each_row() -> None:
    table = replace(RATES, rows=tuple((row[0] * 2, *row[1:3], row[0]) for row in RATES.rows))
    wide = replace(table, head=("what" * 4, *table.head[1:]), rows=table.rows)
    folded = fold(replace(wide, numeric=frozenset({0, 1, 2, 3})), 50)
    assert folded.head == []
    assert folded.rows[0][1] == "  old, k packets/s: 30.1 ± 0.2"


def test_notes_stand_below_and_wrap() -> None:
    table = replace(RATES, noted=True, rows=tuple((*r[:3], "word " * 20) for r in RATES.rows))
    assert fold(table, 60).notes[0].startswith("1: word word")
    assert max(map(len, fold(table, 60).notes)) <= 60
