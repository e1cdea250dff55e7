# SPDX-License-Identifier: Apache-2.0
"""The page of a campaign: models x builds with verdicts, steps, stations, what is missing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gatemark.judge.change.gate import NOT_MEASURED, Decided, Row, middle
from gatemark.judge.change.trend import Step
from gatemark.judge.math.interval import median_interval
from gatemark.tell import html, script
from gatemark.tell.chart import change as charts
from gatemark.tell.chart.palette import Palette
from gatemark.tell.page import columns
from gatemark.tell.words import number
from gatemark.tell.words.number import DASH, PERCENT
from gatemark.tell.words.table import ADJUSTED, Table

MATRIX = "Models and builds"
MARKS = {"failed": "FAILS", "undecided": "undecided", "passed": "passes"}  # in this order


@dataclass(frozen=True, slots=True)
class Kept:
    """A block that counts."""

    model: str
    suite: str
    repeat: int
    station: str
    link: str  # to its run's page, as seen from this page


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaigned:
    """All that there is to say of a campaign, finished or not."""

    title: str
    builds: Sequence[str]  # in their order; the first is the reference
    images: Sequence[tuple[str, str, str]]  # model, build, hash of its image
    rows: Sequence[Row]
    decided: Sequence[Decided]
    blocks: Sequence[Kept]
    stations: Sequence[tuple[str, str, str, str]]  # name, model, state, why
    missing: Sequence[str]  # what was not measured and why, a line each
    command: str

    @property
    def sentence(self) -> str:
        """The answer."""
        failed = [each for each in self.decided if each.passing == "failed"]
        undecided = sum(each.passing == "undecided" for each in self.decided)
        rows = "row" if len(self.decided) == 1 else "rows"
        rest = f"; {undecided} of {len(self.decided)} gated {rows} undecided" if undecided else ""
        if failed:
            worst = max(failed, key=_size)
            claim = worst.claim
            where = f"on {claim.row.model}, {claim.row.suite}, {claim.row.what}"
            others = len(failed) - 1
            more = f", and {others} row{'' if others == 1 else 's'} more" if others else ""
            by = f"{change(worst)} {where}{more}{rest}"
            return f"{claim.build} is slower than {claim.against}: {by}."
        if not self.decided:
            return f"{len(self.blocks)} blocks measured; no gate was asked for."
        if undecided:
            return f"No gate failed{rest}."
        return f"All gates pass: {len(self.decided)} {rows}, {len(self.builds)} builds."

    @property
    def causes(self) -> Iterator[str]:
        """Steps in time that instructions of the same suite and builds do not show."""
        counted: dict[tuple[str, str, str], list[Decided]] = {}
        for each in self.decided:
            if each.claim.row.exact:
                counted.setdefault(_pair(each), []).append(each)
        for each in self.decided:
            beside = counted.get(_pair(each), [])
            if each.claim.row.exact or each.passing != "failed" or not beside:
                continue
            if all(other.passing == "passed" for other in beside):
                models = ", ".join(dict.fromkeys(other.claim.row.model for other in beside))
                yield (
                    f"{each.claim.build} on {each.claim.row.model} is slower in time, "
                    f"not in instructions ({models}): layout or memory, not code"
                )

    @property
    def trends(self) -> Iterator[tuple[Row, Step]]:
        """Steps in the series build / reference, of rows with enough builds."""
        for row in self.rows:
            yield from ((row, step) for step in charts.steps(row, self.builds))

    @property
    def places(self) -> dict[tuple[str, str], list[Kept]]:
        """Model, suite: the blocks that count, in their order."""
        kept: dict[tuple[str, str], list[Kept]] = {}
        for block in sorted(self.blocks, key=lambda block: block.repeat):
            kept.setdefault((block.model, block.suite), []).append(block)
        return kept

    @property
    def ways(self) -> dict[tuple[str, str], str]:
        """Model, suite: where its values lead to, its run's page or the list of all of them."""
        return {
            place: blocks[0].link if len(blocks) == 1 else f"#blocks-{at}"
            for at, (place, blocks) in enumerate(self.places.items(), 1)
        }


def _pair(each: Decided) -> tuple[str, str, str]:
    return each.claim.row.suite, each.claim.build, each.claim.against


def _size(decided: Decided) -> float:
    return abs(decided.change.change.value) if decided.change else 0.0


def change(decided: Decided) -> str:
    """The change, with its interval."""
    if decided.change is None:
        return DASH
    return f"{number.interval(decided.change.change, PERCENT)} %"


def gates(made: Campaigned) -> Table:
    """Each gated row with its verdict; those that failed come first."""
    order = list(MARKS)
    return Table(
        "Gates",
        (
            "model",
            "suite",
            "what",
            "build",
            "against",
            "allowed",
            "change, %",
            ADJUSTED,
            "verdict",
            "gate",
        ),
        tuple(
            (
                each.claim.row.model,
                each.claim.row.suite,
                each.claim.row.what,
                each.claim.build,
                each.claim.against,
                f"{100 * each.claim.allow:g} %",
                change(each).removesuffix(" %"),
                DASH if each.change is None or each.claim.row.exact else f"{each.change.p:.3f}",
                each.verdict,
                MARKS[each.passing],
            )
            for each in sorted(made.decided, key=lambda each: order.index(each.passing))
        ),
        frozenset({6, 7}),
    )


def matrix(made: Campaigned) -> Table:
    """Every row by build: the reference as measured, the others against it, with their verdicts."""
    marks = {(id(each.claim.row), each.claim.build): each for each in reversed(made.decided)}
    first, *others = made.builds
    body = []
    for row in made.rows:
        values = list(row.values.get(first, {}).values())
        interval = median_interval(values) if values else None
        shown = number.quantity_interval(interval, row.unit) if interval else DASH
        cells = [_cell(row, build, first, marks.get((id(row), build))) for build in others]
        body.append((row.model, row.suite, row.what, shown, *cells))
    head = ("model", "suite", "what", first, *(f"{build}, against {first}" for build in others))
    return Table(MATRIX, head, tuple(body), frozenset())


def tables(made: Campaigned) -> list[Table]:
    """All tables of the page, in order; empty ones are left out."""
    trends = [
        (row.model, row.suite, row.what, made.builds[step.at], charts.signed(step.change))
        for row, step in made.trends
    ]
    listed = [
        gates(made),
        matrix(made),
        Table(
            "Steps over the builds, against the reference",
            ("model", "suite", "what", "from build", "step, %"),
            tuple(trends),
            frozenset({4}),
        ),
        _stations(made),
        _images(made),
    ]
    return [table for table in listed if table.rows]


def render(made: Campaigned) -> str:
    """The page as text."""
    every = map(charts.TREND, charts.trends(made.rows, made.builds))
    drawn = [figure for figure in every if figure]
    drawing = [script.library()] if drawn else []
    own = ["number.js", "table.js", *(["page.js"] if drawn else [])]
    return html.template("campaign.html").render(
        title=made.title,
        made=made,
        tables=tables(made),
        matrix=MATRIX,
        figures=drawn,
        columns=columns,
        readings={},
        commands={figure.name: [] for figure in drawn},
        data=script.embedded(drawn, Palette({}, frozenset())),
        style=html.asset("style.css"),
        scripts=[*drawing, *map(html.asset, own)],
    )


def _stations(made: Campaigned) -> Table:
    """Their health, and what they did."""
    counted = Counter(block.station for block in made.blocks)
    rows = tuple(
        (name, model, state, str(counted[name]), why or DASH)
        for name, model, state, why in made.stations
    )
    head = ("station", "model", "state", "blocks that count", "why")
    return Table("Stations", head, rows, frozenset({3}))


def _images(made: Campaigned) -> Table:
    """The hash of each build's image on each model."""
    models = list(dict.fromkeys(model for model, _, _ in made.images))
    of = {(model, build): hash_ for model, build, hash_ in made.images}
    builds = list(dict.fromkeys(build for _, build, _ in made.images))
    rows = tuple((build, *(of.get((model, build)) or DASH for model in models)) for build in builds)
    return Table("Images", ("build", *models), rows, frozenset())


def _cell(row: Row, build: str, first: str, decided: Decided | None) -> str:
    shift = middle(row, build, first)
    if shift is None:
        return NOT_MEASURED
    text = f"{number.interval(shift, PERCENT)} %"
    return f"{text}: {decided.verdict}" if decided and decided.claim.against == first else text
