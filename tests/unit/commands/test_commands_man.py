# SPDX-License-Identifier: Apache-2.0
"""Man pages and examples: made of the help, without a warning, and true."""

import re
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from inside import gatemark
from typer.core import TyperGroup
from typer.main import get_command

from gatemark.commands.app import app
from gatemark.commands.console.example import EXAMPLES
from gatemark.commands.man import main, pages

TITLES = "NAME,SYNOPSIS,DESCRIPTION,OPTIONS,EXIT STATUS,ENVIRONMENT,FILES,EXAMPLES,SEE ALSO"


@cache
def made() -> dict[str, str]:
    return pages()


@cache
def verbs() -> dict[str, Any]:
    root: Any = get_command(app)
    return dict(root.commands)


def mandoc(word: str, text: str) -> str:
    """What mandoc prints of a page."""
    if not shutil.which("mandoc"):
        pytest.skip("no mandoc here")
    done = subprocess.run(["mandoc", word], input=text, capture_output=True, text=True, check=False)
    return done.stdout


def shown(name: str) -> str:
    """A page as a reader has it, in one line."""
    return " ".join(re.sub(".\x08", "", mandoc("-Tascii", made()[name])).split())


def test_each_verb_has_a_page_and_an_example() -> None:
    assert made().keys() == {"gatemark.1", *(f"gatemark-{verb}.1" for verb in verbs())}
    assert EXAMPLES.keys() == verbs().keys()


def test_a_page_has_no_fault() -> None:
    assert {name: fault for name, text in made().items() if (fault := mandoc("-Tlint", text))} == {}


def test_a_page_has_its_sections_in_order() -> None:
    titles = {name: re.findall(r"^\.SH (.*)", text, re.MULTILINE) for name, text in made().items()}
    wrong = {
        name: has
        for name, has in titles.items()
        if [title for title in has if title != "COMMANDS"] != TITLES.split(",")
    }
    assert wrong == {}


def test_a_page_tells_every_option_with_its_help() -> None:
    lacking = [
        (verb, word)
        for verb, command in verbs().items()
        if not isinstance(command, TyperGroup)
        for page in (shown(f"gatemark-{verb}.1"),)
        for param in command.params
        for word in (" ".join((param.help or "").split()), *param.opts)
        if word not in page and (word.startswith("-") or word not in param.opts)
    ]
    assert lacking == []


def test_a_default_is_told() -> None:
    assert "Hide changes smaller than this. [0.01]" in shown("gatemark-diff.1")


def test_a_group_tells_its_verbs_whole() -> None:
    page = shown("gatemark-lab.1")
    assert "gatemark lab up [OPTIONS]" in page
    assert "--slow-to-pps" in page


def test_pages_are_written_into_a_folder(tmp_path: Path) -> None:
    main(str(tmp_path / "man1"))
    assert {path.name for path in (tmp_path / "man1").iterdir()} == made().keys()


# --- examples


def test_an_example_is_understood() -> None:
    """By the real parser, which knows the options and their values."""
    for command in (command for rows in EXAMPLES.values() for _, command in rows):
        program, name, *words = shlex.split(command.partition(" | ")[0])
        verb = verbs()[name]
        if isinstance(verb, TyperGroup):
            name, *words = words
            verb = verb.commands[name]
        with verb.make_context(name, words):
            assert program == "gatemark", command


def test_help_ends_with_the_examples() -> None:
    for verb, rows in EXAMPLES.items():
        text = gatemark(verb, "--help", env={"COLUMNS": "80"}).out.split("Examples:\n")[1]
        lines = [line.strip() for line in text.splitlines()]
        assert len(lines) == len(rows), verb
        for (_, command), line in zip(rows, lines, strict=True):
            assert line.startswith(command)
