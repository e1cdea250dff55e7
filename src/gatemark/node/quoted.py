# SPDX-License-Identifier: Apache-2.0
"""Shell scripts in which no text of another's origin is read as a command.

A `Script` is made of a template, which stands in this program, and of values, which are quoted as
they are put in. What runs a script takes nothing else: the type checker refuses a plain text, and
tests/unit/test_quoted.py holds what it does not see (that a template is a constant, that nobody
calls a shell by another way).
"""

import re
import shlex
from collections.abc import Iterable, Mapping
from string import Formatter
from typing import Final

from gatemark.error import GatemarkError
from gatemark.node import checked

Value = str | int | float | Iterable[str]

# What a shell has read to its end: a character behind `\`, quotes, a comment.
BEGIN: Final = r"(?<![^\s;&|()])#"  # of a comment
WHOLE: Final = re.compile(rf"""\\.|'[^']*'|"(?:\\.|[^"\\])*"|{BEGIN}[^\n]*(?=\n)""", re.DOTALL)
# What it is in the midst of else: quotes, a here-document, a comment, behind `\` or `$`.
OPEN: Final = re.compile(rf"""['"]|<<|{BEGIN}|[\\$]\Z""")


class Script(str):
    """A text that a shell may run. Only the functions of this module make one."""

    __slots__ = ()


def literal(text: str) -> Script:
    """A script that stands in this program, as it is."""
    return Script(text)


def literals(texts: Mapping[str, str]) -> dict[str, Script]:
    """Several such scripts, by name."""
    return {name: literal(text) for name, text in texts.items()}


def shell(template: str, **values: Value) -> Script:
    """A template with each {name} replaced by its value; {{ and }} are braces.

    A text becomes one word of the shell, whatever is in it; of several texts each becomes one. A
    Script is put in as it is. A {name} stands outside quotes and here-documents, where its own
    quotes would not be read as such. Raises ValueError where it does not.
    """
    require_open(template)
    return Script(template.format(**{name: _quoted(value) for name, value in values.items()}))


def joined(scripts: Iterable[Script], by: str = "\n") -> Script:
    """Scripts one after another: by lines, or by the shell's `;`, `&&` and the like."""
    return Script(by.join(scripts))


def word(script: Script) -> Script:
    """A script as one word, for a shell that another command starts."""
    return Script(shlex.quote(script))


def as_written(text: str) -> Script:
    """A script of the user's own, or of an earlier run of ours: nobody else can have written it."""
    return Script(text)


def sh(script: Script, *arguments: str) -> tuple[str, ...]:
    """The command that lets a shell run a script; the arguments are its $0, $1 and so on."""
    return ("sh", "-c", script, *arguments)


def _quoted(value: Value) -> str:
    match value:
        case Script():
            return value
        case str():
            if "\0" in value:
                raise GatemarkError(f"{checked.shown(value)} has a NUL, which no shell takes")
            return shlex.quote(value)
        case int() | float():
            return str(value)
    return " ".join(map(_quoted, value))


def require_open(template: str) -> None:
    """Raise ValueError if a {name} of a template stands where its own quotes would not be read.

    Also where it is more than a name: a part of a quoted text has half of its quotes.
    """
    before = ""
    for text, name, spec, conversion in Formatter().parse(template):
        before += text
        if name is not None:
            if not name.isidentifier() or spec or conversion:
                raise ValueError(f"{{{name}}} is to be a name alone: {template!r}")
            if state := OPEN.search(WHOLE.sub("x", before)):
                raise ValueError(f"{{{name}}} stands behind {state[0]}: {template!r}")
            before += "x"
