# SPDX-License-Identifier: Apache-2.0
"""A key's line in a TOML file: the one in its own table, not its namesake elsewhere."""

import tomllib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.plan.toml import line_of, string

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
