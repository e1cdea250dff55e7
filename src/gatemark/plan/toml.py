# SPDX-License-Identifier: Apache-2.0
"""A TOML file of the user's: read it, and find the line of a key for a message."""

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from gatemark.error import UsageError

MOST_BYTES: Final = 1 << 20
MOST_DEEP: Final = 64  # tables and lists in each other
# Of a dotted key; a longer one takes tomllib the square of its length.
LONG = re.compile(
    r"""(?:(?:(?<![\w-])[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}"""
)
HEADER = re.compile(r"\s*(?P<open>\[{1,2})(?P<name>[^\[\]]+)\]")
PART = re.compile(r""""[^"]*"|'[^']*'|[^.\s"']+""")
KEY = re.compile(r"""(?P<at>^\s*|[{,]\s*)(?P<name>["']?[\w.-]+["']?)\s*=""")


def string(value: str) -> str:
    """A string as TOML writes it (1.0.0, "String"): as JSON does, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_toml(path: Path | Traversable) -> dict[str, Any]:
    """A TOML file; an unreadable one is the user's error, told with its line.

    One that never ends, or that would take hours to parse, is refused: it may be a stranger's.
    """
    text = _text(path)
    deep = "nested too deep for TOML that a person wrote"
    if match := LONG.search(text):
        raise UsageError(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {deep}")
    try:
        made = tomllib.loads(text)
    except RecursionError:
        raise UsageError(f"{path}:1: {deep}") from None
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        match = re.search(r"line (\d+)", str(error))
        line = int(match[1]) if match else text.count("\n") + 1
        raise UsageError(f"{path}:{line}: not TOML: {error}") from None
    if _is_deep(made):
        raise UsageError(f"{path}:1: {deep}")
    return made


def _text(path: Path | Traversable) -> str:
    """What a regular file holds; a pipe or a device may have no end."""
    try:
        if isinstance(path, Path) and path.exists() and not (path.is_file() or path.is_dir()):
            raise UsageError(f"{path}: no regular file: give the path of a TOML file")
        with path.open("rb") as file:
            read = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: {why}: give the path of a TOML file") from None
    if len(read) > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES >> 20} MiB: no TOML that a person wrote")
    try:
        return read.decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8: save it in that encoding") from None


def _is_deep(made: dict[str, Any]) -> bool:
    """Whether there is more in each other than MOST_DEEP; without recursion, which would end."""
    level: list[Any] = [made]
    for _ in range(MOST_DEEP):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [part for parts in inner for part in parts if isinstance(part, dict | list)]
    return bool(level)


def line_of(path: Path, *words: str, table: str | None = None) -> int:
    """Line of the first key or table among `words` in a TOML file, 1 if none is there.

    One that stands in `table` is taken before one elsewhere: "" is the top, `arm[1]` the second
    `[[arm]]`, `sweep` also what lies below it.
    """
    places = list(_places(path.read_text(encoding="utf-8").splitlines()))
    for word in words:
        named = [place for place in places if place.word == word]
        here = [place for place in named if table is not None and place.within(table)]
        for place in here or named:
            return place.line
    return 1


def refuse_unknown_keys(
    data: Iterable[str], known: list[str], path: Path, table: str, place: str | None = None
) -> None:
    """UsageError with file, line and the nearest known key for the first key not in `known`.

    `table` is how the message calls the table, `place` how `line_of` does if that differs.
    """
    for key in data:
        if key not in known:
            line = line_of(path, key, table=table if place is None else place)
            where = f" in [{table}]" if table else ""
            raise UsageError(f"{path}:{line}: unknown key '{key}'{where}{nearest(key, known)}")


def nearest(word: str, known: list[str]) -> str:
    """`; did you mean 'x'?`, or what is known where nothing is near."""
    near = difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; known are: {', '.join(sorted(known))}"


@dataclass(frozen=True, slots=True)
class _Place:
    line: int
    table: str
    word: str

    def within(self, table: str) -> bool:
        """Whether it stands in a table or below it; at the top only by itself."""
        return self.table == table or (bool(table) and self.table.startswith(table))


def _places(lines: list[str]) -> Iterator[_Place]:
    """Every key and table header of a file. By pattern: only the line is taken from here."""
    table, seen = "", dict[str, int]()
    for number, line in enumerate(lines, 1):
        if header := HEADER.match(line):
            table = name = ".".join(_parts(header["name"].strip()))
            if header["open"] == "[[":
                seen[name] = seen.get(name, -1) + 1
                table = f"{name}[{seen[name]}]"
            yield _Place(number, table, _parts(header["name"].strip())[-1])
            continue
        outer = table
        for key in KEY.finditer(line):
            *above, word = (part.strip("\"'") for part in key["name"].split("."))
            inside = ".".join(filter(None, (outer, *above)))
            yield from (_Place(number, table, part) for part in above)
            yield _Place(number, inside, word)
            if key["at"].strip() == "" and line[key.end() :].lstrip().startswith("{"):
                outer = ".".join(filter(None, (inside, word)))  # an inline table's own keys


def _parts(name: str) -> list[str]:
    """The parts of a dotted name without their quotes: `expect."nat + filter:100"` has two."""
    return [part.strip("\"'") for part in PART.findall(name)] or [name]
