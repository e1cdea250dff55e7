# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/numbers, which are shipped: a word and its lines, which a program reads too.

A page begins so; `unit` to `at` may be missing, and a value goes on in indented lines:

    # Knee

    - unit: packets/s
    - also: saturation              by which words people ask for it
    - keys: `knee_pps`              its names in the data
    - columns: knee                 heads of tables that mean it, `head (table)` of one table alone
    - from: `received_pps`          what trials measure of it, where that is not its key
    - at: `rate_pps`                along which factor it is made of them; the first that they have
    - formula: one line
    - fooled by: what makes it wrong
    - type: `gatemark run quick/sweep` what that tells
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from gatemark.error import UsageError
from gatemark.quantity import BELOW_KNEE, CHANGE, STEP

TERM: Final = "term"
KINDS: Final = ("quantity", "warning", "verdict", "bottleneck", TERM)
LINE: Final = re.compile(r"^- ([a-z ]+): (.*)$")
NEAREST: Final = 3  # words that are named where one is misspelt
FOLDER: Final = "docs/numbers"
SHIPPED: Final = Path(__file__).parents[2] / "numbers"  # where the package is installed
SOURCES: Final = Path(__file__).parents[4] / FOLDER  # where it is a checkout
GUIDES: Final = "docs"  # the documents' folder, installed in the package as in a checkout
PLANS: Final = Path(__file__).parents[2] / "plans/README.md"
# Before a quantity's name in the data: the word that says what it then is.
DERIVED: Final = {STEP: "cost", CHANGE: "change"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: a quantity, a warning, a verdict, a bottleneck, or a term of an answer."""

    word: str  # the file's name
    kind: str  # its folder; a term has no trials behind it
    title: str
    lines: Mapping[str, Sequence[str]]  # `type` may stand several times
    text: str  # below the lines, in Markdown

    def line(self, name: str) -> str:
        """The value of a line; empty where there is none."""
        return " ".join(self.lines.get(name, ()))

    def listed(self, name: str) -> list[str]:
        """The values of a line that has several."""
        return [part.strip(" `") for part in self.line(name).split(", ") if part]

    @property
    def commands(self) -> list[tuple[str, str]]:
        """What to type, each with what it tells."""
        split = (line.strip("`").partition("`") for line in self.lines.get("type", ()))
        return [(command, about.strip()) for command, _, about in split]

    @property
    def measured(self) -> list[str]:
        """The quantities of trials that it is made of, the first of which are best."""
        return [*self.listed("from"), *self.listed("keys")]

    @property
    def place(self) -> str:
        """Its file in the repository."""
        return f"{FOLDER}/{self.kind}/{self.word}.md"


def plain(word: str) -> str:
    """A word as it is looked for: lower case, `_` and `-` as spaces."""
    return re.sub(r"[\s_-]+", " ", word).strip().lower()


@cache
def entries() -> tuple[Entry, ...]:
    """Every page, by kind and name."""
    return tuple(_read())


@cache
def words() -> dict[str, Entry]:
    """Every word by which a page is found, as `plain` has it; a file's own name goes first."""
    known = {plain(entry.word): entry for entry in entries()}
    for entry in entries():
        for word in (entry.title, *entry.listed("keys"), *entry.listed("also")):
            known.setdefault(plain(word), entry)
    return known


def find(word: str) -> Entry:
    """The page of a word. Raises UsageError that names the nearest."""
    from difflib import get_close_matches

    own = word.rpartition(".")[2].removesuffix(BELOW_KNEE)
    derived = (text for lead, text in DERIVED.items() if word.startswith(lead))
    for name in (word, *derived, own):
        if entry := words().get(plain(name)):
            return entry
    near = get_close_matches(plain(own), list(words()), NEAREST)
    hint = f"did you mean {' or '.join(repr(text) for text in near)}?" if near else ""
    raise UsageError(f"{word}: no such word; {hint or '`gatemark explain` lists all'}")


@cache
def guides() -> dict[str, Path]:
    """Return the documents that are here, by the name that others call them: `docs/stations.md`."""
    home = SHIPPED.parent / GUIDES if SHIPPED.is_dir() else SOURCES.parent
    pages = {path.name: path for path in home.glob("*.md")} | {"plans.md": PLANS}
    return {f"{GUIDES}/{name}": pages[name] for name in sorted(pages)}


def guide(word: str) -> str:
    """Return the text of a document, by `docs/delay.md` or a name that is no entry; else ""."""
    name = word if plain(word) in words() else f"{GUIDES}/{word.lower()}.md"
    path = guides().get(word) or guides().get(name)
    return path.read_text("utf-8") if path else ""


@cache
def columns() -> dict[tuple[str, str], Entry]:
    """The page of a head, by head and table; without a table it is of all tables."""
    return {
        (head.strip().lower(), table.rstrip(")")): entry
        for entry in entries()
        for head, _, table in (text.partition(" (") for text in entry.listed("columns"))
    }


def column(head: str, table: str = "") -> Entry | None:
    """The page of a table's head: `p99, µs`, `CPU by soak, %`, `p50 at 26 k`; None: no quantity.

    The first part of the head counts, at least its first word.
    """
    known, stem = columns(), re.sub(r"-\d+$", "", table)
    parts = re.split("[,:]", head)[0].lower().split()
    for end in range(len(parts), 0, -1):
        text = " ".join(parts[:end])
        if entry := known.get((text, stem)) or known.get((text, "")):
            return entry
    return None


def _read() -> Iterator[Entry]:
    home = SHIPPED if SHIPPED.is_dir() else SOURCES
    for kind in KINDS:
        for page in sorted((home / kind).glob("*.md")):
            yield parsed(page.stem, kind, page.read_text("utf-8"))


def parsed(word: str, kind: str, page: str) -> Entry:
    """A page from its text."""
    head, _, rest = page.removeprefix("# ").partition("\n\n")
    top, _, text = rest.partition("\n\n")
    lines: dict[str, list[str]] = {}
    for line in re.sub(r"\n +", " ", top).splitlines():
        if match := LINE.match(line):
            lines.setdefault(match[1], []).append(match[2])
    return Entry(word, kind, head.strip(), lines, text.strip())
