# SPDX-License-Identifier: Apache-2.0
"""A key's line in a TOML file: the one in its own table, not its namesake elsewhere."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.plan.expand import FACTORS
from gatemark.plan.line.keys import LINE_FACTORS
from gatemark.plan.model import Repeat
from gatemark.plan.toml import MEANT, line_of, nearest, string

TEXT = """\
title = "t = 1"
a.b = 1
inline = { times = 3, name = "x" }
[setup]
path = 1
[ repeat ]
times = 1
[[arm]]
"path" = 1
[[arm]]
path = 1
[probe.deep]
times = 1
"""


LINES: dict[tuple[tuple[str, ...], str | None], int] = {
    (("title",), ""): 1,
    (("t",), ""): 1,  # not there: a text is no key
    (("b",), "a"): 2,
    (("a",), ""): 2,
    (("name",), "inline"): 3,
    (("times",), "inline"): 3,
    (("times",), "repeat"): 7,
    (("times",), "probe"): 13,
    (("times",), None): 3,
    (("path",), "setup"): 5,
    (("path",), "arm[0]"): 9,
    (("path",), "arm[1]"): 11,
    (("arm",), "arm[1]"): 10,
    (("repeat",), None): 6,
    (("deep",), None): 12,
    (("nothing", "path"), "setup"): 5,
    (("nothing",), None): 1,
    ((), None): 1,
}


def test_line_of(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(TEXT)
    assert {key: line_of(path, *key[0], table=key[1]) for key in LINES} == LINES


@settings(max_examples=settings().max_examples // 2)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_string_is_read_back_as_it_was(value: str) -> None:
    assert tomllib.loads(f"key = {string(value)}") == {"key": value}


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("mtu", "frame_bytes"),
        ("packet_size", "frame_bytes"),
        ("bandwidth", "rate_bps"),
        ("rate", "rate_pps"),
        ("threads", "streams"),
        ("loss", "line.loss"),
        ("RTT", "line.fixed_ms"),
    ],
)
def test_a_word_of_other_tools_finds_what_is_meant(word: str, key: str) -> None:
    known = [*FACTORS, *LINE_FACTORS]
    assert nearest(word, known) == f"; did you mean '{key}'?"


def test_every_word_means_a_key_that_there_is() -> None:
    keys = {*FACTORS, *LINE_FACTORS, *Repeat.__struct_fields__}
    assert {word: keys & {*meant} for word, meant in MEANT.items() if not keys & {*meant}} == {}
