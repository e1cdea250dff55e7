# SPDX-License-Identifier: Apache-2.0
"""Man pages and examples: made of the help, without a warning, and true."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from command import gatemark
from typer.core import TyperGroup
from typer.main import get_command

from gatemark.commands.app import app
from gatemark.commands.console.example import EXAMPLES
from gatemark.commands.man import main, pages

PAGES = pages()
ROOT: Any = get_command(app)
COMMANDS = [command for rows in EXAMPLES.values() for _, command in rows]


def shown(name: str) -> str:
    """A page as a reader has it, in one line."""
    if not shutil.which("mandoc"):
        pytest.skip("no mandoc here")
    done = subprocess.run(
        ["mandoc", "-Tascii"], input=PAGES[name], capture_output=True, text=True, check=True
    )
    return " ".join(re.sub(".\x08", "", done.stdout).split())


def test_each_verb_has_a_page() -> None:
    assert set(PAGES) == {"gatemark.1", *(f"gatemark-{verb}.1" for verb in ROOT.commands)}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_fault(name: str) -> None:
    if not shutil.which("mandoc"):
        pytest.skip("no mandoc here")
    done = subprocess.run(
        ["mandoc", "-Tlint"], input=PAGES[name], capture_output=True, text=True, check=False
    )
    assert done.stdout == ""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_its_sections_in_order(name: str) -> None:
    told = re.findall(r"^\.SH (.*)", PAGES[name], re.MULTILINE)
    wanted = "NAME,SYNOPSIS,DESCRIPTION,OPTIONS,EXIT STATUS,ENVIRONMENT,FILES,EXAMPLES,SEE ALSO"
    assert [title for title in told if title != "COMMANDS"] == wanted.split(",")


@pytest.mark.parametrize("verb", [v for v in ROOT.commands if v not in ("lab", "agent")])
def test_a_page_tells_every_option_with_its_help(verb: str) -> None:
    page = shown(f"gatemark-{verb}.1")
    for param in ROOT.commands[verb].params:
        assert " ".join((param.help or "").split()) in page
        assert all(opt in page for opt in param.opts if opt.startswith("-"))


def test_a_default_is_told() -> None:
    assert "Hide changes smaller than this. [0.01]" in shown("gatemark-diff.1")


def test_a_group_tells_its_verbs_whole() -> None:
    page = shown("gatemark-lab.1")
    assert "gatemark lab up [OPTIONS]" in page
    assert "--slow-to-pps" in page


def test_pages_are_written_into_a_folder(tmp_path: Path) -> None:
    main(str(tmp_path / "man1"))
    assert {path.name for path in (tmp_path / "man1").iterdir()} == set(PAGES)


# --- examples


def test_each_verb_has_an_example() -> None:
    assert set(EXAMPLES) == set(ROOT.commands)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_is_understood(command: str) -> None:
    """By the real parser, which knows the options and their values."""
    program, name, *words = shlex.split(command.partition(" | ")[0])
    verb = ROOT.commands[name]
    if isinstance(verb, TyperGroup):
        name, *words = words
        verb = verb.commands[name]
    with verb.make_context(name, words):
        assert program == "gatemark"


@pytest.mark.parametrize("verb", EXAMPLES)
def test_help_ends_with_the_examples(verb: str) -> None:
    told = gatemark(verb, "--help", env={"COLUMNS": "80"}).out.split("Examples:\n")[1]
    lines = [line.strip() for line in told.splitlines()]
    assert len(lines) == len(EXAMPLES[verb])
    for (_, command), line in zip(EXAMPLES[verb], lines, strict=True):
        assert line.startswith(command)
