# SPDX-License-Identifier: Apache-2.0
"""The words that people read: none that was retired, and no line longer than 100 characters."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer import Typer
from typer.main import get_command

from gatemark.commands.app import app

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 100  # characters of a line of Markdown, outside of tables and blocks

FOLDERS = ("agent", "benchmarks", "bpf", "counter", "docs", "setup", "src", "tests")
HOMES = ("*.md", *(f"{folder}/**/*.md" for folder in FOLDERS))

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


def helps(command: Any, name: str, above: Any = None) -> Iterator[tuple[str, str]]:
    """The `--help` of a command and of all verbs below it, each with its name.

    Below its group: a verb keeps the names of its help option from whoever asks first.
    """
    with command.make_context(name, [], parent=above, resilient_parsing=True) as context:
        yield name, command.get_help(context)
        for verb, below in getattr(command, "commands", {}).items():
            yield from helps(below, f"{name} {verb}", context)


def markdown() -> list[Path]:
    return sorted({path for home in HOMES for path in ROOT.glob(home)})


def test_no_file_that_people_read_has_a_retired_word() -> None:
    plans = (ROOT / "src" / "gatemark" / "plans").rglob("*.toml")
    assets = (ROOT / "src" / "gatemark" / "tell" / "asset").rglob("*.*")
    texts = {path: path.read_text(encoding="utf-8") for path in (*markdown(), *plans, *assets)}
    assert len(texts) > 50
    assert {str(path): words for path, text in texts.items() if (words := retired(text))} == {}


def test_no_help_has_a_retired_word() -> None:
    texts = dict(helps(get_command(app), "gatemark"))
    assert "gatemark lab up" in texts
    assert {name: words for name, text in texts.items() if (words := retired(text))} == {}


def test_no_line_of_markdown_is_too_long() -> None:
    texts = {str(path): path.read_text(encoding="utf-8") for path in markdown()}
    assert {path: lines for path, text in texts.items() if (lines := long_lines(text))} == {}


PLANTED = {
    "Brake: set anew": "Brake",
    "the gateway is braked": "braked",
    "brake_pps = 30000": "brake_pps",
    "of the probed\npass alone": "probed pass",
    "the warning `probe-effect`": "probe-effect",
    "in an order drawn by lot": "by lot",
    "the smallest visible change": "smallest visible",
    "`collapse_2.0` is a share": "collapse_2",
    "packets that took so long or longer": "so long or longer",
}


def test_a_planted_word_is_found() -> None:
    words = {text: [line.split(":")[0] for line in retired(text)] for text in PLANTED}
    assert words == {text: [repr(word)] for text, word in PLANTED.items()}


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


FILE = re.compile(r"`([a-z][\w/-]+\.(?:py|c|h))`")  # x.h, NAME.py and /tmp/x.sh stand for others


def is_there(readme: Path, name: str) -> bool:
    """Return whether it stands below the README's folder, or is a path from a root."""
    roots = (ROOT, ROOT / "src" / "gatemark")
    return any((root / name).exists() for root in roots) or any(readme.parent.glob(f"**/{name}"))


def test_a_folders_readme_names_files_that_are_there() -> None:
    readmes = [path for path in markdown() if path.name == "README.md"]
    assert [
        f"{readme.relative_to(ROOT)}: {name}"
        for readme in readmes
        for name in FILE.findall(readme.read_text(encoding="utf-8"))
        if "NAME" not in name and not is_there(readme, name)
    ] == []
