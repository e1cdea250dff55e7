# SPDX-License-Identifier: Apache-2.0
"""docs/numbers has a page for each word of an answer, each of the same short shape."""

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import builder
import counted
import drawn
import pytest
import stacked
import swift
import traveled
from golden import kept
from typed import unknown

from gatemark.commands.option.setting import chosen
from gatemark.error import UsageError
from gatemark.judge import expect, judgement
from gatemark.judge import line as line_share
from gatemark.judge.change import exact_ab
from gatemark.judge.finding import Shape
from gatemark.judge.point.warn import Code
from gatemark.judge.verdict.use import RULES
from gatemark.kind.fill import answer as fill
from gatemark.kind.responsiveness import answer as responsiveness
from gatemark.kind.responsiveness.point import BEST, CLASSES
from gatemark.quantity import QUANTITIES
from gatemark.tell.answer import answers, flow, watched
from gatemark.tell.brief.lines import briefs
from gatemark.tell.explain.entry import Entry, column, entries, plain, words
from gatemark.tell.group.source import Source

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs" / "numbers" / "README.md"
LONGEST = 60  # lines: a screen
LINES = ("unit", "also", "keys", "columns", "from", "at", "formula", "fooled by", "type")

# Heads that name what was measured and no number: setups, points, places, sentences.
NO_NUMBERS = {
    *(
        "arm",
        "at",
        "bottleneck",
        "device",
        "differs",
        "direction",
        "experiment",
        "flow",
        "for each",
    ),
    *("frame", "its kernel", "line", "load", "of", "ours", "plan", "point", "published", "setup"),
    *("study", "traffic", "verdict", "why", "packet", "kernel"),
}
# Tables whose heads are setups, which a plan names, or subsystems.
NAMED = ("payload", "subsystems")
MADE = ("builder", "studies", "estimated", "queued", "timed", "packets")


def sources() -> Iterator[Source]:
    """Made-up runs of all kinds."""
    yield from map(drawn.source, MADE)
    for module in (counted, stacked, swift, traveled):
        yield builder.source(judged=module.judgement())


def of_kind(kind: str) -> set[str]:
    return {entry.word for entry in entries() if entry.kind == kind}


def test_every_quantity_has_one_page() -> None:
    keys = Counter(key for entry in entries() for key in entry.listed("keys"))
    assert set(QUANTITIES) - keys.keys() == set(), "name it in `keys:` of docs/numbers/quantity"
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_warning_has_its_page_and_no_page_is_of_none() -> None:
    assert of_kind("warning") == set(get_args(Code))


def test_every_bottleneck_has_its_page_and_every_shape_of_loss_is_explained() -> None:
    shapes = set(get_args(Shape))
    limits = set(get_args(judgement.Limit)) - shapes
    assert limits
    assert of_kind("bottleneck") == limits | {"tester", "shaper"}  # these are shapes, too
    assert {shape for shape in shapes if plain(shape) not in words()} == set()


VERDICTS = (
    *get_args(judgement.Verdict),
    *get_args(expect.Verdict),
    *get_args(line_share.Enough),
    *get_args(exact_ab.Word),
    *("costs", "saves", "repeats disagree", "not comparable", "works"),
    *(f"{use}" for use in RULES),
    *(name for _, name in CLASSES),
    *(BEST, "A+", "A", "B", "C", "D", "F"),
)


def test_every_verdict_is_explained() -> None:
    pages = {verdict: words().get(plain(verdict)) or column(verdict) for verdict in VERDICTS}
    assert [verdict for verdict, page in pages.items() if not page or page.kind != "verdict"] == []


def heads() -> Iterator[tuple[str, str]]:
    """Every head of the tables of `show`, with the name of its table."""
    for source in sources():
        for name, table in answers.tables(source):
            yield from ((head, name) for head in table.head if not name.startswith(NAMED))
    constant = {
        fill.ANCHOR: tuple(fill.COLUMNS.values()),
        flow.ANCHOR: flow.HEAD + flow.MORE,
        responsiveness.ANCHOR: (*responsiveness.COUNTS.values(), *responsiveness.TIMES.values()),
        "watched": watched.HEAD,
    }
    yield from ((head, name) for name, listed in constant.items() for head in listed)


def test_every_column_of_a_table_is_explained() -> None:
    silent = {
        (name, head)
        for head, name in heads()
        if head and not column(head, name) and head.partition(",")[0] not in NO_NUMBERS
    }
    assert silent == set()


def test_every_column_of_a_first_answer_is_explained() -> None:
    tables = [brief for source in sources() for brief in briefs(source.judgement)]
    assert len(tables) > 3
    assert {
        head for brief in tables for head, _ in brief.heads if head and not column(head)
    } == set()


def test_no_word_is_of_two_pages() -> None:
    own = [
        (plain(word), entry.word)
        for entry in entries()
        for word in {entry.word, *entry.listed("also"), *entry.listed("keys")}
    ]
    pages: dict[str, set[str]] = {}
    for word, page in own:
        pages.setdefault(word, set()).add(page)
    assert {word: names for word, names in pages.items() if len(names) > 1} == {}


def test_no_column_is_of_two_pages() -> None:
    listed = Counter(head for entry in entries() for head in entry.listed("columns"))
    assert [head for head, count in listed.items() if count > 1] == []


def misshapen(entry: Entry) -> Iterator[str]:
    """Yield each part that a page lacks of the shape of all, or has beyond it."""
    yield from (f"line {name}" for name in entry.lines if name not in LINES)
    yield from (name for name in ("formula", "fooled by", "type") if not entry.line(name))
    if bool(entry.line("unit")) is not (entry.kind == "quantity" and entry.word != "interval"):
        yield "unit"
    if not (entry.title and entry.text):
        yield "title or text"
    if len((ROOT / entry.place).read_text(encoding="utf-8").splitlines()) > LONGEST:
        yield f"over {LONGEST} lines"


def test_a_page_has_the_shape_of_all() -> None:
    assert [(entry.word, what) for entry in entries() for what in misshapen(entry)] == []


def planned(words: list[str]) -> None:
    """Raise UsageError where a command names a plan, variant or key that does not exist."""
    _, verb, *rest = words
    if verb != "run" or not rest or not rest[0].islower() or rest[0].startswith("-"):
        return
    options = list(zip(rest, [*rest[1:], ""], strict=True))
    given = {name: value for name, value in options if name.startswith("--")}
    settings = [value for name, value in options if name == "--set"]
    chosen(
        rest[0],
        given.get("--variant", ""),
        settings,
        exactly="--exact" in given,
        line=given.get("--line", ""),
    )


def untypeable(entry: Entry) -> Iterator[str]:
    """The commands of a page that it says nothing about, or that would be refused."""
    if not entry.commands:
        yield "no command"
    for command, about in entry.commands:
        if not about or not command.startswith("gatemark ") or unknown(command):
            yield command
        try:
            planned(shlex.split(command))
        except UsageError as error:
            yield f"{command}: {error}"


def test_what_a_page_advises_to_type_exists() -> None:
    assert [(entry.word, what) for entry in entries() for what in untypeable(entry)] == []


def test_the_index_has_every_page(request: pytest.FixtureRequest) -> None:
    """`--update-golden` writes the table anew."""
    before, _, rest = INDEX.read_text(encoding="utf-8").partition("|---|---|\n")
    after = rest.partition("\n\n")[2]
    rows = dict.fromkeys(("quantity", "warning", "verdict", "bottleneck", "term"), "")
    for entry in entries():
        rows[entry.kind] += f", [{entry.word}]({entry.kind}/{entry.word}.md)"
    heads = ("Quantities", "Warnings", "Verdicts", "Bottlenecks", "Terms")
    table = "\n".join(
        f"| {head} | {row.removeprefix(', ')} |"
        for head, row in zip(heads, rows.values(), strict=True)
    )
    kept.same(request, INDEX, f"{before}|---|---|\n{table}\n\n{after}")
