# SPDX-License-Identifier: Apache-2.0
"""Commands that a page tells its reader to type: the verb, option or target that we lack."""

import re
import shlex
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OURS = ("gatemark", ".venv/bin/gatemark")


def unknown(command: str) -> str | None:
    """The first word of a command of ours that does not exist: a verb, an option, a target."""
    try:
        first, *words = shlex.split(command, comments=True) or [""]
    except ValueError:  # no command at all
        return None
    if first == "sudo" and words:
        first, *words = words
    if first == "make":
        return unknown_target(words)
    return unknown_verb(words) if first in OURS else None


def unknown_target(words: list[str]) -> str | None:
    """The first target of `make [-C FOLDER] TARGET NAME=value` that does not exist."""
    folder, words = (words[1], words[2:]) if words[:1] == ["-C"] else ("", words)
    targets = re.findall(r"^([\w-]+):", (ROOT / folder / "Makefile").read_text(), flags=re.M)
    wanted = (word for word in words if word.islower() and "=" not in word)
    return next((word for word in wanted if word not in targets), None)


@cache
def ours() -> Any:
    """The command, with all verbs below it."""
    from typer.main import get_command

    from gatemark.commands.app import app

    return get_command(app)


def unknown_verb(words: list[str]) -> str | None:
    """The first verb or option of `gatemark` that does not exist; placeholders are capitals."""
    command = ours()
    for word in words:
        if word in ("--", "...", "|"):
            return None
        if word.startswith("-"):
            known = {"-h", "--help"} | {name for p in command.params for name in p.opts}
            if word.split("=")[0] not in known:
                return word
        elif verbs := getattr(command, "commands", None):
            if not word.islower():
                return None
            if word not in verbs:
                return word
            command = verbs[word]
    return None
