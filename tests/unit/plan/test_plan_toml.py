# SPDX-License-Identifier: Apache-2.0
"""A key's line in a TOML file: the one in its own table, not its namesake elsewhere."""

import os
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inside import gatemark

from gatemark.error import UsageError
from gatemark.plan.expand import FACTORS
from gatemark.plan.line.keys import LINE_FACTORS
from gatemark.plan.model import Repeat
from gatemark.plan.toml import MEANT, MOST_BYTES, line_of, nearest, read_toml, string

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


DEEP = "nested too deep for TOML that a person wrote"
HOSTILE: dict[str, tuple[str, str]] = {
    "lists": ("x = " + "[" * 2000 + "]" * 2000, f":1: {DEEP}"),
    "tables": ("x = " + "{a = " * 2000 + "1" + "}" * 2000, f":1: {DEEP}"),
    "a hundred lists": ("x = " + "[" * 100 + "]" * 100, f":1: {DEEP}"),
    "a list of lists": ("x = [" + "[" * 70 + "]" * 70 + ", 1]", f":1: {DEEP}"),
    "a dotted key": ("y = 1\n" + ".".join("a" * 200) + " = 1", f":2: {DEEP}"),
    "a dotted header": ("[" + " . ".join("a" * 200) + "]", f":1: {DEEP}"),
    "quoted parts": ('."\\""' * 200 + " = 1", f":1: {DEEP}"),
    "bare and quoted parts": ("""a.'b'."c".""" * 200 + "d = 1", f":1: {DEEP}"),
    "an inline table's key": ("x = { " + ".".join("a" * 200) + " = 1 }", f":1: {DEEP}"),
    "a long number": ("x = " + "9" * 10_000, ":1: not TOML: "),
    "brackets that do not end": ("x = " + "[" * 2000, f":1: {DEEP}"),
    "a header that does not end": ("[" + " " * 200, ":1: not TOML: "),
    "a table of tables": ("[[" + ".".join("a" * 200) + "]]", f":1: {DEEP}"),
    "lists and tables": ("x = " + "[{a = " * 100 + "1" + "}]" * 100, f":1: {DEEP}"),
    "lists over lines": ("x = " + "[\n" * 100 + "]\n" * 100, f":1: {DEEP}"),
    "lists after a text": ('x = ["]]]", ' + "[" * 100 + "]" * 100 + "]", f":1: {DEEP}"),
    "a long hexadecimal number": ("x = 0xfg", ":1: not TOML: "),
    "a date that is none": ("x = 2026-13-45", ":1: not TOML: "),
    "a key twice": ("x = 1\nx = 2", ":2: not TOML: "),
    "a table over a value": ("x = 1\n[x.y]", ":2: not TOML: "),
    "a text that does not end": ('x = """' + "a" * 1000, ":1: not TOML: "),
    "a character that is none": ('x = "\\ud800"', ":1: not TOML: "),
    "a control character": ('x = "\x1b[2J"', ":1: not TOML: "),
    "more than anybody writes": ("#" * (MOST_BYTES + 1), ": more than 1 MiB: no TOML"),
    "another encoding": ("\udcff", ":1: not UTF-8: save it in that encoding"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_file_that_was_made_to_hurt_is_refused_by_its_name(what: str, tmp_path: Path) -> None:
    text, error = HOSTILE[what]
    (tmp_path / "x.toml").write_text(text, errors="surrogateescape")
    with pytest.raises(UsageError, match=f"^{re.escape(f'{tmp_path}/x.toml{error}')}"):
        read_toml(tmp_path / "x.toml")


def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    """Nobody writes to the pipe: who opened it would wait for ever."""
    os.mkfifo(tmp_path / "pipe.toml")
    for name, other in (("zero", "/dev/zero"), ("link", "pipe.toml")):
        (tmp_path / f"{name}.toml").symlink_to(other)
    for name in ("pipe", "zero", "link"):
        with pytest.raises(UsageError, match=rf"{name}\.toml: no regular file: give the path"):
            read_toml(tmp_path / f"{name}.toml")
    with pytest.raises(UsageError, match="null"):
        read_toml(tmp_path / "\0.toml")


@pytest.mark.parametrize("verb", [("rank",), ("run",), ("plan",), ("campaign", "plan")])
def test_each_verb_names_the_file_that_is_nested_too_deep(
    verb: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "x.toml").write_text(HOSTILE["lists"][0])
    done = gatemark(*verb, "x.toml", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (2, "", f"gatemark: x.toml:1: {DEEP}\n")


def test_a_line_is_found_in_the_time_that_its_file_is_read(tmp_path: Path) -> None:
    """By a pattern that goes back, a header of blanks would take the square of its length."""
    path = tmp_path / "x.toml"
    path.write_text('a = """\n[' + " " * (MOST_BYTES // 2) + '\n"""\nb = 1\n')
    assert line_of(path, "b") == 4
