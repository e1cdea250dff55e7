# SPDX-License-Identifier: Apache-2.0
"""The candidates of Tab: the words of a command line in, a candidate a line out.

The scripts in `shell/` ask by the variable GATEMARK_COMPLETE, with the words up to the cursor as
arguments. The command line is walked, not parsed: parsing costs twice the time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from typer.core import TyperArgument, TyperGroup, TyperOption
from typer.main import get_command

from gatemark.commands.console.parameter import WORDS, Candidate

if TYPE_CHECKING:
    from typer import Typer

HELP = "Show this message and exit."


@dataclass(slots=True)
class _Walk:
    """Where a command line leads: its verb, what was given by name, what waits for a value."""

    command: object
    given: dict[str, str] = field(default_factory=dict)
    arguments: int = 0
    waiting: str = ""  # the name of an option whose value comes next
    verbatim: bool = False  # after `--`


def candidates(app: "Typer", words: Sequence[str]) -> list[Candidate]:
    """Return the candidates for the last of `words`, with a few words each; none: a file."""
    *before, word = _joined(words) or [""]
    walk = _Walk(get_command(app))
    for text in before:
        _step(walk, text)
    cut = len(word) - len(word.rpartition("=")[2]) if "=" in words[-2:] else 0
    texts: dict[str, str] = {}
    for value, printed_text in _offered(walk, word):
        if value.startswith(word):
            texts.setdefault(value[cut:], printed_text)
    return list(texts.items())


def _joined(words: Sequence[str]) -> list[str]:
    """Bash cuts `--variant=short` into three words."""
    joined: list[str] = []
    for at, word in enumerate(words):
        if joined and (word == "=" or (at and words[at - 1] == "=")):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _step(walk: _Walk, word: str) -> None:
    """Go on by one whole word."""
    if walk.waiting:
        walk.given[walk.waiting], walk.waiting = word, ""
    elif word == "--":
        walk.verbatim = True
    elif word.startswith("-") and not walk.verbatim:
        name, equals, value = word.partition("=")
        option = next((o for o in _options(walk.command) if name in o.opts), None)
        if option and not option.is_flag and option.name:
            walk.given[option.name] = value
            walk.waiting = "" if equals else option.name
    elif isinstance(walk.command, TyperGroup):
        walk.command = walk.command.commands.get(word)
    else:
        walk.given.setdefault(_argument(walk), word)
        walk.arguments += 1


def _offered(walk: _Walk, word: str) -> Iterator[Candidate]:
    """All that the place allows, whatever `word` begins with."""
    if walk.waiting:
        yield from _values(walk, walk.waiting, word)
    elif word.startswith("-") and not walk.verbatim:
        name, equals, value = word.partition("=")
        options = _options(walk.command)
        if equals:
            names = [o.name for o in options if name in o.opts and not o.is_flag and o.name]
            for text in names:
                yield from (
                    (f"{name}={v}", printed_text) for v, printed_text in _values(walk, text, value)
                )
        else:
            yield from ((opt, o.help or "") for o in options for opt in o.opts)
            yield "--help", HELP
    elif isinstance(walk.command, TyperGroup):
        verbs = walk.command.commands.items()
        yield from ((name, verb.get_short_help_str(60)) for name, verb in verbs if not verb.hidden)
    else:
        yield from _values(walk, _argument(walk), word)


def _values(walk: _Walk, name: str, word: str) -> Iterator[Candidate]:
    values = WORDS.get(name)
    return values(walk.given, word) if values else iter(())


def _options(command: object) -> list[TyperOption]:
    params = getattr(command, "params", [])
    return [param for param in params if isinstance(param, TyperOption) and not param.hidden]


def _argument(walk: _Walk) -> str:
    """The name of the argument that comes next; the last one may take many words."""
    params = getattr(walk.command, "params", [])
    arguments = [param for param in params if isinstance(param, TyperArgument)]
    if walk.arguments < len(arguments):
        return arguments[walk.arguments].name or ""
    return (arguments[-1].name or "") if arguments and arguments[-1].nargs == -1 else ""
