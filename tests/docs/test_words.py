# SPDX-License-Identifier: Apache-2.0
"""The words that people read: none that was retired, and no line longer than 100 characters."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer import Typer
from typer.main import get_command

from gatemark.commands.app import app

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 100  # characters of a line of Markdown, outside of tables and blocks

FOLDERS = ("agent", "benchmarks", "bpf", "counter", "docs", "setup", "src", "tests")
HOMES = ("*.md", *(f"{folder}/**/*.md" for folder in FOLDERS))
MARKDOWN = sorted({path for home in HOMES for path in ROOT.glob(home)})
PLANS = sorted((ROOT / "src" / "gatemark" / "plans").rglob("*.toml"))
ASSETS = sorted(p for p in (ROOT / "src" / "gatemark" / "report" / "asset").rglob("*.*"))
READ = [*MARKDOWN, *PLANS, *ASSETS]

# A pattern, and what is written instead.
RETIRED = {
    r"\bbrak(e|es|ed|ing)\b": "slowdown, slowed",
    r"\bbrake_pps\b": "slow_to_pps",
    r"\bunbraked\b": "full-speed",
    r"\bprobed pass(es)?\b": "instrumented pass",
    r"\bprobe-effect\b": "observer-effect",
    r"\bby lot\b": "in random order",
    r"\bsmallest visible\b": "minimum detectable effect (MDE)",
    r"\bcollapse_\w*": "retained_2x",
    r"\bso long or longer\b": "slower than this (CCDF)",
}


def retired(text: str) -> list[str]:
    """The retired words of a text, each with the word instead; lines may break inside one."""
    text = re.sub(r"\s+", " ", text)
    return [
        f"{match[0]!r}: write {instead}"
        for pattern, instead in RETIRED.items()
        for match in re.finditer(pattern, text, re.IGNORECASE)
    ]


def long_lines(text: str) -> list[int]:
    """The numbers of the lines that are too long, outside of tables and fenced blocks.

    A line that is one word, as a key of JSON may be, cannot be broken.
    """
    numbers, is_fenced = [], False
    for number, line in enumerate(text.splitlines(), 1):
        start = line.strip()
        can_break = " " in start and not start.startswith("|")
        if start.startswith("```"):
            is_fenced = not is_fenced
        elif not is_fenced and can_break and len(line) > LONGEST:
            numbers.append(number)
    return numbers


def helps(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """The `--help` of a command and of all verbs below it, each with its name."""
    with command.make_context(name, [], resilient_parsing=True) as context:
        yield name, command.get_help(context)
    for verb, below in getattr(command, "commands", {}).items():
        yield from helps(below, f"{name} {verb}")


def named(paths: Iterable[Path]) -> list[Any]:
    """Paths as parameters, each under its name in the repository."""
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in paths]


@pytest.mark.parametrize("path", named(READ))
def test_a_file_that_people_read_has_no_retired_word(path: Path) -> None:
    assert retired(path.read_text(encoding="utf-8")) == []


def test_no_help_has_a_retired_word() -> None:
    texts = dict(helps(get_command(app), "gatemark"))
    assert "gatemark lab up" in texts
    assert {name: words for name, text in texts.items() if (words := retired(text))} == {}


@pytest.mark.parametrize("path", named(MARKDOWN))
def test_no_line_of_markdown_is_too_long(path: Path) -> None:
    assert long_lines(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Brake: set anew", "Brake"),
        ("the gateway is braked", "braked"),
        ("brake_pps = 30000", "brake_pps"),
        ("of the probed\npass alone", "probed pass"),
        ("the warning `probe-effect`", "probe-effect"),
        ("in an order drawn by lot", "by lot"),
        ("the smallest visible change", "smallest visible"),
        ("`collapse_2.0` is a share", "collapse_2"),
        ("packets that took so long or longer", "so long or longer"),
    ],
)
def test_a_planted_word_is_found(text: str, word: str) -> None:
    assert [line.split(":")[0] for line in retired(text)] == [repr(word)]


def test_other_words_are_left_alone() -> None:
    assert retired("border-collapse: collapse; stackcollapse-perf.pl; breaks; a lot of it") == []


def test_a_planted_help_is_found() -> None:
    planted = Typer(rich_markup_mode=None)
    planted.callback()(lambda: None)
    planted.command("slow", help="Set the brake.")(lambda: None)
    texts = dict(helps(get_command(planted), "planted"))
    assert [name for name, text in texts.items() if retired(text)] == ["planted", "planted slow"]


def test_a_planted_long_line_is_found() -> None:
    long = "x " + "x" * (LONGEST - 1)
    text = f"{long}\n{long[1:]}\n| {long} |\n```\n{long}\n```\n- {long}\n"
    assert long_lines(text + "x" * 200) == [1, 7]
