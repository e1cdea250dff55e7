# SPDX-License-Identifier: Apache-2.0
"""A TOML file of the user's: read it, and find the line of a key for a message."""

import difflib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from gatemark.error import FaultsError, UsageError

MOST_BYTES: Final = 1 << 20
MOST_DEEP: Final = 64  # tables and lists in each other
# Of a dotted key; a longer one takes tomllib the square of its length.
LONG = re.compile(
    r"""(?:(?:(?<![\w-])[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}"""
)
HEADER = re.compile(r"\s*(?P<open>\[{1,2})(?P<name>[^\[\]]+)\]")
PART = re.compile(r""""[^"]*"|'[^']*'|[^.\s"']+""")
KEY = re.compile(r"""(?P<at>^\s*|[{,]\s*)(?P<name>["']?[\w.-]+["']?)\s*=""")

# Words of other tools and books for what a plan calls otherwise: the first that may stand there.
MEANT: Final[dict[str, tuple[str, ...]]] = {
    word: tuple(keys.split())
    for words, keys in {
        "mtu size length len bytes": "frame_bytes",
        "mss payload": "payload_bytes",
        "bandwidth bitrate throughput bps mbps": "rate_bps line.rate_bps",
        "rate pps": "rate_pps",
        "threads parallel conns": "streams",
        "block blocksize bs": "write_bytes",
        "window sockbuf": "socket_buffer_bytes",
        "cc algorithm": "congestion",
        "sessions": "connections",
        "users hosts": "clients",
        "time duration seconds": "duration_s",
        "protocol proto": "l4 kind",
        "ip ipv6 version": "family",
        "tos": "dscp",
        "pcap capture": "trace",
        "loss drop": "line.loss loss",
        "delay latency rtt": "line.fixed_ms fixed_ms",
        "buffer queue limit": "line.buffer_packets buffer_packets",
        "qdisc shaper": "line.aqm aqm",
        "repeats runs count iterations n": "times",
    }.items()
    for word in words.split()
}


def string(value: str) -> str:
    """A string as TOML writes it (1.0.0, "String"): as JSON does, but for DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_toml(path: Path | Traversable, made_by: str = "") -> dict[str, Any]:
    """A TOML file; an unreadable one is the user's error, with its line.

    One that never ends, or that would take hours to parse, is refused: it may be a stranger's.
    `made_by`: the command that writes such a file, for who has none.
    """
    text = _text(path, made_by)
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


def _text(path: Path | Traversable, made_by: str) -> str:
    """Return the text of a regular file; a pipe or a device may have no end."""
    try:
        if isinstance(path, Path) and path.exists() and not (path.is_file() or path.is_dir()):
            raise UsageError(f"{path}: no regular file: give the path of a TOML file")
        with path.open("rb") as file:
            read = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        why = getattr(error, "strerror", None) or error
        is_missing = isinstance(error, FileNotFoundError)
        more = f"; `{made_by}` writes one" if made_by and is_missing else ""
        raise UsageError(f"{path}: {why}: give the path of a TOML file{more}") from None
    if len(read) > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES >> 20} MiB: no TOML that a person wrote")
    try:
        return read.decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8: save it in that encoding") from None


def _is_deep(made: dict[str, Any]) -> bool:
    """Return whether tables are nested beyond MOST_DEEP; without recursion, which would end."""
    level: list[Any] = [made]
    for _ in range(MOST_DEEP):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [part for parts in inner for part in parts if isinstance(part, dict | list)]
    return bool(level)


def refuse_all(path: Path, read: Callable[[dict[str, Any]], object]) -> None:
    """Raise every fault of a TOML file that `read` refuses one by one, as `FILE:LINE: ...`.

    What is at fault is taken out of the text, and the rest is read again, until nothing is refused.
    A fault that follows from another one is left out.
    """
    data: dict[str, Any] | None = read_toml(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    faults: dict[int, str] = {}
    while data is not None:
        try:
            read(data)
            break
        except UsageError as error:
            text = str(error)
        match = re.match(rf"{re.escape(str(path))}:(\d+): ", text)
        line = int(match[1]) if match else 0
        if faults and line in (0, *faults):
            break
        out = _block(lines, line - 1) if line else range(0)
        if not faults or not any(at - 1 in out for at in faults):
            faults[line] = text
        data = _without(lines, out)
    if len(faults) > 1:
        raise FaultsError([faults[line] for line in sorted(faults)])
    if faults:
        raise UsageError(*faults.values())


def _block(lines: Sequence[str], at: int) -> range:
    """The lines of the table whose header is at a place; else that line alone."""
    end = at + 1
    while HEADER.match(lines[at]) and end < len(lines) and not HEADER.match(lines[end]):
        end += 1
    return range(at, end)


def _without(lines: list[str], out: range) -> dict[str, Any] | None:
    """The file without some lines and the rest of a value there; None where that is no file."""
    for at in (*out, *range(out.stop, len(lines))) if out else ():
        lines[at] = ""
        if at >= out.stop - 1:
            with suppress(ValueError):  # in the middle of a value
                return tomllib.loads("\n".join(lines))
    return None


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
    """`; did you mean 'x'?`, by meaning or spelling; or what is known where nothing is near."""
    near = [key for key in meant(word) if key in known]
    near = near or difflib.get_close_matches(word, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; known are: {', '.join(sorted(known))}"


def meant(word: str) -> list[str]:
    """The keys of a plan that a word may stand for, itself first: `packet-size`, `frame_bytes`."""
    plain = word.lower().replace("-", "_")
    return [plain, *MEANT.get(plain, ()), *MEANT.get(plain.rpartition("_")[2], ())]


@dataclass(frozen=True, slots=True)
class _Place:
    line: int
    table: str
    word: str

    def within(self, table: str) -> bool:
        """Return whether it stands in a table or below it; at the top only by itself."""
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
