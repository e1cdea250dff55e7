# SPDX-License-Identifier: Apache-2.0
"""Hostile files: each ends soon, in one clear line, and nothing of it reaches a terminal."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.price import read
from gatemark.price.ablate import Meets, Priced, Unit
from gatemark.price.answer import Answer, lines
from gatemark.price.gateway import ARRIVES, Counted
from gatemark.price.rules import Chain, Rule
from gatemark.price.survey import Survey
from gatemark.price.traffic import kinds
from gatemark.price.verdict import comment, paired
from gatemark.printable import printable

ESCAPE = "\x1b]0;owned\x07\x1b[2J"
BIG = 500_000
pytestmark = pytest.mark.timeout(60)


def write(tmp_path: Path, text: str) -> Path:
    """A file with this in it."""
    file = tmp_path / "rules"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    "text",
    [
        "table ip t {\n" + "iif { " * (BIG // 6),
        "table ip t {\n" + "\n" * BIG,
        "table ip t {\n" + 'iif "' * (BIG // 5),
        "define a = { $a, $a, $a, $a }\n" * (BIG // 40) + "table ip t {\niif $a\n",
        "".join(f"define v{n} = {{ {f'$v{n + 1}, ' * 9000} x }}\n" for n in range(9))
        + "table ip t {\n"
        + "iif $v0\n" * 9000,
        "table ip t {\n" + "1.2.3.4 10.0.0.999/99 " * (BIG // 25),
    ],
    ids=["open sets", "empty lines", "open quotes", "definitions", "tower", "addresses"],
)
def test_a_large_file_is_read_in_time(tmp_path: Path, text: str) -> None:
    rules = read.read(write(tmp_path, text))
    assert len(rules.names) <= 1
    assert rules.client in {"", "10.0.0.77"}


def test_more_than_ten_megabytes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "rules"
    with file.open("wb") as opened:
        opened.truncate(read.MOST_BYTES + 1)
    with pytest.raises(UsageError, match="rules have 10000000 at most"):
        read.read(file)


def test_no_escape_of_a_rule_reaches_the_terminal() -> None:
    (kind, *_) = kinds(("ipv4",), ("tcp",))
    rule = Rule(f'ip saddr 192.0.2.1 drop comment "{ESCAPE}"')
    chain = Chain(("ip", "t", f"c{ESCAPE}"), "forward", "0", "filter", "drop", (rule,))
    whole = {kind: Counted(kind, ARRIVES, {100: 5})}
    unit = Unit(chain, 0, (rule,), Meets(frozenset((kind,))))
    row = Priced(unit, {kind: 50}, f"without it{ESCAPE}")
    made = Survey((chain,), whole, whole, whole, {}, [row])
    told = [text for _, text in lines(Answer(f"f{ESCAPE}", "x", made, (), notes=(ESCAPE,)))]
    assert told
    assert all("\x1b" not in printable(text) for text in told)


def test_no_escape_of_a_name_reaches_a_comment() -> None:
    (kind, *_) = kinds(("ipv4",), ("tcp",))
    counts = {kind: Counted(kind, ARRIVES, {100: 5})}
    text = "\n".join(comment((f"a{ESCAPE}", "`b`\n# c"), paired(counts, counts), "same", "how"))
    assert "\x1b" not in text
    assert "\n# c" not in text
