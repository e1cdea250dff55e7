# SPDX-License-Identifier: Apache-2.0
"""What the five studies asked, row by row, with its state: as data, as Markdown, as a page."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from gatemark.judge.coverage.coverage import EVERY, STATES, Covered, State, counts
from gatemark.store.reference import Tally
from gatemark.store.run import Run
from gatemark.store.study.requirement import STUDIES
from gatemark.tell import gallery, html
from gatemark.tell.answer import answers
from gatemark.tell.group.source import Source
from gatemark.tell.words.markdown import text
from gatemark.tell.words.run import portable, repeat_command

Anchors = Sequence[tuple[str, str]]  # of one run's page: a name, and the plan that it is of or ""


class Given(NamedTuple):
    """A run that was given, as the page needs it."""

    run: Run
    page: str  # address of its page
    anchors: Anchors = ()  # on that page


Links = Mapping[str, Given]  # by the label of a run
INVENTORY: Final = "inventory"
MEANS: Final[dict[State, str]] = {
    "shown": "a run that was given holds it, or runs of one gateway do together",
    "planned": "a plan asks it, or every run tells it; what was given does not hold it",
    "in part": "a part of it is answered; what is missing is said",
    "not here": "it needs something that is not here",
    "missing": "not built",
}
RUNS: Final = ("run", "gateway", "begun", "minutes", "shows", "again")
HEAD: Final = ("row", "study", "state", "what was asked", "answered by, or why not")
TITLE: Final = "What five studies asked, row by row"


def anchors(source: Source) -> list[tuple[str, str]]:
    """Names of the figures and tables on a run's page, each with its plan."""
    figures = [(figure.name, figure.plan) for figure in gallery.figures(source)]
    return [*figures, *((name, "") for name, _ in answers.tables(source)), (INVENTORY, "")]


def sentence(rows: Sequence[Covered]) -> str:
    """How many rows are in which state."""
    known = counts(rows)
    parts = [f"{known[state]} {state}" for state in STATES if known[state]]
    return f"Of {len(rows)} rows that five studies asked: {', '.join(parts)}."


def beside(tallies: Mapping[str, Tally]) -> str:
    """How many published values can stand beside ours."""
    total = Tally(
        sum(tally.rows for tally in tallies.values()),
        sum(tally.mapped for tally in tallies.values()),
        sum(tally.describing for tally in tallies.values()),
    )
    return (
        f"Of {total.rows} published values {total.mapped} can stand beside ours; "
        f"{total.describing} describe a device, a method or a tester."
    )


def data(rows: Iterable[Covered], links: Links) -> Iterator[dict[str, object]]:
    """One object for each row."""
    for row in rows:
        yield {
            "row": row.requirement.name,
            "study": row.requirement.study,
            "state": row.state,
            "what": row.requirement.what,
            "priority": row.requirement.priority,
            "plans": list(row.plans),
            "why": list(row.why),
            "shown": [{"run": label, "link": link} for label, link in _links(row, links)],
        }


def _links(row: Covered, links: Links) -> Iterator[tuple[str, str]]:
    """Each run that shows a row, with the address of the figure."""
    for shown in row.shown:
        given = links.get(shown.run)
        page = given.page if given else ""
        name = _anchor(row, given.anchors, shown.plans) if given else ""
        yield shown.run, f"{page}#{name}" if page and name else page


def _anchor(row: Covered, names: Anchors, plans: Sequence[str]) -> str:
    """The figure that a row asks for, of a plan that holds it; else any figure of such a plan."""
    wanted = row.requirement.need.figure
    own = [name for name, plan in names if plan in plans]
    tables = [name for name, plan in names if not plan]
    if EVERY in row.plans:
        own = []
    close = [name for name in (*own, *tables) if wanted and name.startswith(wanted)]
    return next(iter((*close, *own)), "")


def table(rows: Sequence[Covered]) -> list[tuple[str, ...]]:
    """Head and rows as text."""
    return [HEAD, *(_cells(row) for row in rows)]


def _cells(row: Covered) -> tuple[str, ...]:
    asked = row.requirement
    return asked.name, asked.study, row.state, asked.what, _answer(row)


def _answer(row: Covered) -> str:
    by, why = ", ".join(row.plans), "; ".join(row.why)
    return ": ".join(filter(None, (by, why) if row.state != "not here" else (why,)))


def markdown(rows: Sequence[Covered], links: Links, tallies: Mapping[str, Tally]) -> str:
    """The page as Markdown."""
    lines = [f"# {TITLE}", "", "`gatemark coverage --out FILE.md` writes this.", ""]
    lines += [sentence(rows), ""]
    lines += [f"- **{state}**: {means}." for state, means in MEANS.items()]
    letters = ", ".join(f"{letter} {study}" for letter, study in STUDIES.items())
    lines += [
        "",
        f"A row's letter is its study: {letters}.",
        "Below are rows that are not shown.",
        "",
    ]
    cells = [HEAD, *(_cells(row) for row in rows if row.state != "shown")]
    lines += [*_rows([(name, *others) for name, _, *others in cells]), ""]
    if links:
        made = [
            (_linked(label, links), took, shows, f"`{again}`")
            for label, _, _, took, shows, again in ran(rows, links)
        ]
        lines += ["## Runs", "", *_rows([(RUNS[0], *RUNS[3:]), *made]), ""]
    lines += ["## Published values", "", beside(tallies), "", *_rows(tally_rows(tallies))]
    lines += ["", "`gatemark report --study NAME` has a study table by table, figure by figure."]
    return "\n".join((*lines, ""))


def ran(rows: Sequence[Covered], links: Links) -> Iterator[tuple[str, ...]]:
    """Each run that was given: how long it took, which rows it shows, how it is repeated."""
    for label, given in links.items():
        run = given.run
        names = [row.requirement.name for row in rows if label in {x.run for x in row.shown}]
        day, took = run.started.partition("T")[0], "not finished"
        if run.finished:
            begun, ended = map(datetime.fromisoformat, (run.started, run.finished))
            took = f"{(ended - begun).total_seconds() / 60:.1f}"
        again = portable(repeat_command(run))
        yield label, run.station.name, day, took, _listed(names), again


def tally_rows(tallies: Mapping[str, Tally]) -> list[tuple[str, ...]]:
    """Published values by study."""
    head = ("study", "values", "can stand beside ours", "describe a device, method or tester")
    more = "neither, for a reason that map.toml gives"
    return [
        (*head, more),
        *(
            (name, *map(str, tally), str(tally.rows - tally.mapped - tally.describing))
            for name, tally in tallies.items()
        ),
    ]


def _linked(label: str, links: Links) -> str:
    page = links[label].page
    return f"[{text(label)}]({page})" if page else text(label)


def _listed(names: Iterable[str]) -> str:
    """Return names in order, neighbours as the first and the last: K05 to K09."""
    spans: list[list[str]] = []
    for name in names:
        last = spans[-1][-1] if spans else ""
        if last[:1] == name[:1] and int(name[1:]) == int(last[1:]) + 1:
            spans[-1][1:] = [name]
        else:
            spans.append([name])
    return ", ".join("\N{EN DASH}".join(span) for span in spans)


def _rows(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *rest = rows
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    yield from (f"| {' | '.join(map(_escaped, row))} |" for row in rest)


def _escaped(cell: str) -> str:
    """A cell that breaks no table: on one line, its bars escaped, once."""
    return re.sub(r"(?<!\\)\|", r"\|", " ".join(cell.split()))


def page(rows: Sequence[Covered], links: Links, tallies: Mapping[str, Tally]) -> str:
    """The page as one HTML file."""
    known = counts(rows)
    return html.template("coverage.html").render(
        title=TITLE,
        sentence=sentence(rows),
        states=[(state, known[state], MEANS[state]) for state in STATES],
        head=HEAD,
        rows=[(_cells(row), list(_links(row, links))) for row in rows],
        runs=[RUNS, *ran(rows, links)] if links else [],
        beside=beside(tallies),
        tallies=tally_rows(tallies),
        style=html.asset("style.css"),
        scripts=[html.asset("table.js")],
    )
