# SPDX-License-Identifier: Apache-2.0
"""The index page over a folder of runs: a line each, with its answer and a link to its page."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from gatemark.error import GatemarkError
from gatemark.store import catalog, file
from gatemark.store.directory import RunDirectory
from gatemark.store.folder import ForeignError
from gatemark.tell import html, page
from gatemark.tell.group import source
from gatemark.tell.group.source import Source
from gatemark.tell.words.run import counts

DEEPEST = 3  # folders below the one that is asked for


@dataclass(frozen=True, slots=True)
class Item:
    """One run of the index; where it could not be read, only its name and why."""

    name: str  # its directory, as seen from the folder
    link: str = ""  # to its page, as seen from the index
    source: Source | None = None
    why: str = ""

    @property
    def state(self) -> str:
        """What a reader must know before its numbers; empty for a whole, finished run."""
        if self.source is None:
            return "cannot be read"
        facts = [
            ("still being measured", self.source.is_going),
            ("not finished", not self.source.run.finished and not self.source.is_going),
            ("not whole", bool(self.source.faults)),
        ]
        return ", ".join(text for text, is_so in facts if is_so)

    @property
    def counts(self) -> str:
        """What became of its trials."""
        return counts(self.source.judgement) if self.source else ""


def write(
    folder: Path,
    out: Path,
    watch: Callable[[list[Path]], Iterable[Path]] = iter,
    *,
    named: bool = False,
) -> Path:
    """Write the index of all runs below `folder`, and each run's page where it is missing or old.

    `watch` shows how far it is: it hands on what it is given. `named`: the user named `out`, so it
    may be a link. Raises OSError.
    """
    items = [_item(path, folder, out.parent) for path in watch(catalog.below(folder, DEEPEST))]
    items.sort(key=lambda item: item.source.run.started if item.source else "", reverse=True)
    out.parent.mkdir(parents=True, exist_ok=True)
    (file.write if named else file.put)(out, render(items, folder.resolve().name).encode())
    return out


def render(items: Sequence[Item], name: str) -> str:
    """The index as text."""
    return html.template("index.html").render(
        title=f"Runs in {name}",
        items=items,
        style=html.asset("style.css"),
        scripts=[html.asset("table.js")],
    )


def _item(path: Path, folder: Path, home: Path) -> Item:
    name = str(path.relative_to(folder))
    directory = RunDirectory(path)
    try:
        key = None if _is_own(path, folder) else ""
        run = source.judged(directory.contents(), path, key=key)
    except (GatemarkError, OSError) as error:
        return Item(name, why=str(error))
    if _is_own(path, folder) and not directory.has_page(new=True):
        # An archive that nobody may write, or a link in place of the page: its old one, or none.
        with suppress(OSError, ForeignError):
            directory.write_page(page.render([run]))
    link = quote(os.path.relpath(directory.page, home)) if directory.has_page() else ""
    return Item(name, link, run)


def _is_own(path: Path, folder: Path) -> bool:
    """Whether a run lies in the folder itself: nothing is written where a link in it leads to."""
    return path.resolve().is_relative_to(folder.resolve())
