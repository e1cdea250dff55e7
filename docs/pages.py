# SPDX-License-Identifier: Apache-2.0
"""Lay out the pages of the site of these documents, for Zensical: setup/site calls this.

    python docs/pages.py FOLDER    makes FOLDER/pages and FOLDER/mkdocs.yml

Each document keeps its place, so links between them stay as they are. What they link to besides
comes along: a source as text, a picture as it is. The doors of the site are those of README's
table. Plans, commands and example reports are made from the code and from kept runs.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from typer.main import get_command
from typer.testing import CliRunner

from gatemark import number
from gatemark.commands.app import app
from gatemark.commands.campaign import answer, coordinate
from gatemark.commands.console.verb import summary
from gatemark.store.directory import RunDirectory
from gatemark.tell import matrix, page
from gatemark.tell.group.source import judged

ROOT: Final = Path(__file__).resolve().parent.parent
LINK: Final = re.compile(r"(\]\()(?!\w+:|#)([^)#\s]+)(#[^)]*)?(\))")
DOOR: Final = re.compile(r"^\| (Start|Questions|Numbers|Reference|Evidence) \| (.*) \|$", re.M)
NAMED: Final = re.compile(r"\[([^]]+)\]\(([^)]+)\)")
PICTURES: Final = (".png", ".svg")
FIRST: Final = "run.tar.gz"  # of README
PLANS, VERBS, EXAMPLES = "plans.md", "commands.md", "examples.md"
KINDS: Final = ("quantity", "warning", "verdict", "bottleneck", "term")
STYLE: Final = "docs/site.css"
RUN: Final = re.compile(r'<a href="runs/[^>]*>(.*?)</a>')  # of a campaign's block
WIDTH: Final = "88"  # characters of a page of help


def main() -> None:
    """Write pages and configuration."""
    folder = Path(sys.argv[1])
    pages = folder / "pages"
    for source in documents():
        _copy(source, pages)
    shutil.copyfile(ROOT / STYLE, pages / "style.css")
    made = {PLANS: plans(pages), VERBS: verbs(), EXAMPLES: examples(pages)}
    for name, text in made.items():
        (pages / name).write_text(text, encoding="utf-8")
    config = (ROOT / "docs/site.yml").read_text(encoding="utf-8")
    (folder / "mkdocs.yml").write_text(f"{config}nav: {json.dumps(nav())}\n", encoding="utf-8")


def documents() -> list[Path]:
    """Every document of the repository."""
    argv = ["git", "ls-files", "*.md"]
    listed = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines()]


def nav() -> list[Mapping[str, Any]]:
    """The doors, each with its pages: README's table, and what is made."""
    doors: list[Mapping[str, Any]] = [{"Gatemark": "README.md"}]
    more: dict[str, list[Mapping[str, Any]]] = {
        "Start": [{"example reports": EXAMPLES}],
        "Numbers": [{kind: _numbers(kind)} for kind in KINDS],
        "Reference": [{"catalogue of plans": PLANS}, {"commands": VERBS}],
    }
    for name, cell in DOOR.findall((ROOT / "README.md").read_text(encoding="utf-8")):
        named = [{title: path} for title, path in NAMED.findall(cell)]
        doors.append({name: named + more.get(name, [])})
    return doors


def _numbers(kind: str) -> list[str]:
    return sorted(f"docs/numbers/{kind}/{p.name}" for p in (ROOT / "docs/numbers" / kind).iterdir())


def _copy(source: Path, pages: Path) -> None:
    """A document at its place, and what it links to."""
    target = pages / source.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    text = source.read_text(encoding="utf-8")
    linked = LINK.sub(lambda link: _link(link, source, pages), text)
    target.write_text(linked, encoding="utf-8")


def _link(link: re.Match[str], source: Path, pages: Path) -> str:
    """Return a link that the site can follow."""
    before, path, anchor, after = (part or "" for part in link.groups())
    goal = Path(os.path.normpath(source.parent / path))  # a link of the file system stays
    if goal.is_dir():
        readme = goal / "README.md"
        return f"{before}{path.rstrip('/')}/README.md{after}" if readme.exists() else "]()"
    if goal.suffix == ".md":
        return f"{before}{path}{anchor}{after}"
    suffix = "" if goal.suffix in PICTURES else ".txt"
    place = pages / f"{goal.relative_to(ROOT)}{suffix}"
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(goal, place)
    return f"{before}{path}{suffix}{after}"


def plans(pages: Path) -> str:
    """The catalogue: a table a suite, with each plan's file."""
    listed = [json.loads(line) for line in _printed("list", "--json").splitlines()]
    for row in listed:
        place = pages / _file(row["plan"])
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / _file(row["plan"]).removesuffix(".txt"), place)
    return "\n".join(["# Catalogue of plans", "", *_suites(listed), ""])


def _suites(listed: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "Each is run by `gatemark run PLAN`, a suite by its name; times are of the built-in lab."
    for suite, rows in groupby(listed, key=lambda row: row["suite"]):
        yield from ("", f"## {suite}", "", "| plan | what it asks | time | variants |")
        yield "|---|---|---|---|"
        for row in rows:
            time = number.seconds(row["seconds"])
            plan = f"[`{row['plan']}`]({_file(row['plan'])})"
            yield f"| {plan} | {row['title']} | {time} | {', '.join(row['variants'])} |"


def _file(plan: str) -> str:
    """Return the place of a plan's file among the pages."""
    return f"src/gatemark/plans/{plan}.toml.txt"


def verbs() -> str:
    """Each command as its help has it."""
    return "\n".join(["# Commands", "", *_verbs("gatemark", get_command(app), []), ""])


def _verbs(name: str, verb: Any, words: list[str]) -> Iterator[str]:
    yield from (f"## {name}", "", summary(verb), "", "```text")
    yield from (_printed(*words, "--help").rstrip(), "```", "")
    for below, inner in getattr(verb, "commands", {}).items():
        if not inner.hidden:
            yield from _verbs(f"{name} {below}", inner, [*words, below])


def _printed(*words: str) -> str:
    done = CliRunner().invoke(app, words, prog_name="gatemark", env={"COLUMNS": WIDTH})
    if done.exit_code:
        raise RuntimeError(f"gatemark {' '.join(words)}: {done.output}")
    return done.stdout


def examples(pages: Path) -> str:
    """The reports of what was kept, each with the answer's first sentence."""
    (pages / "examples").mkdir()
    lines = ["# Example reports", "", "Each is the page of a run, or of a campaign, that was kept."]
    archives = (ROOT / "docs/sample").glob("*.tar.gz")
    for archive in sorted(archives, key=lambda path: (path.name != FIRST, path.name)):
        place = pages / "examples" / f"{archive.name.removesuffix('.tar.gz')}.html"
        title, sentence = _example(archive, place)
        lines += ["", f"## {title}", "", f"[The report](examples/{place.name}): {sentence}"]
    return "\n".join([*lines, ""])


def _example(archive: Path, place: Path) -> tuple[str, str]:
    """Write the page of what an archive holds; returns its title and its sentence."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "xf", archive, "--no-same-owner", "-C", folder], check=True)
        (kept,) = Path(folder).iterdir()
        if (kept / coordinate.FILE).exists():
            return _campaign(kept, place)
        source = judged(RunDirectory.open(kept).contents(), kept, "")
        page.write([source], place, docs="..")
    return source.run.title, source.judgement.sentence


def _campaign(kept: Path, place: Path) -> tuple[str, str]:
    """A campaign's page, without links to the pages of its runs, which are not here."""
    campaign = answer.campaigned(*coordinate.opened(kept), kept)
    place.write_text(
        RUN.sub(r"\1", matrix.render(campaign)).replace(str(kept), kept.name), encoding="utf-8"
    )
    return campaign.title, campaign.sentence


if __name__ == "__main__":
    main()
