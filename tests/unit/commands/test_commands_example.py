# SPDX-License-Identifier: Apache-2.0
"""Examples at the end of each help: true, and understood by the real parser."""

import shlex
from functools import cache
from typing import Any

from inside import gatemark
from typer.core import TyperGroup
from typer.main import get_command

from gatemark.commands.app import app
from gatemark.commands.console.example import EXAMPLES


@cache
def verbs() -> dict[str, Any]:
    root: Any = get_command(app)
    return dict(root.commands)


def test_each_verb_has_an_example() -> None:
    assert EXAMPLES.keys() == verbs().keys()


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
