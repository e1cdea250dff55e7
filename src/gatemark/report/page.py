# SPDX-License-Identifier: Apache-2.0
"""The page: one self-contained file with its figures and data inside, nothing fetched."""

import functools
import importlib.resources
import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt
import jinja2
import vl_convert

from gatemark.report import card, condition, inventory, sweep, table, terminal
from gatemark.report.chart import bar, cpu, delay, knee, theme
from gatemark.report.chart.figure import Figure
from gatemark.stats.judgement import Judgement
from gatemark.store.record import Record
from gatemark.store.run import Run


def write(run: Run, records: Sequence[Record], judgement: Judgement, path: Path) -> Path:
    """Write the page to `path`, whole or not at all."""
    text = render(run, records, judgement)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        draft.chmod(0o644)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return path


def render(run: Run, records: Sequence[Record], judgement: Judgement) -> str:
    """The page as text."""
    drawn = figures(judgement, records)
    return _template().render(
        run=run,
        judgement=judgement,
        cards=card.cards(judgement),
        conditions=condition.conditions(run, records, judgement),
        warnings=terminal.warnings(judgement),
        figures=drawn,
        readings=_readings(run, drawn),
        tables=_tables(judgement),
        inventory=inventory.table(run.before, run.after),
        method=condition.method(run, judgement),
        command=terminal.repeat_command(run),
        counts=terminal.counts(judgement),
        style=_asset("style.css"),
        data=embedded(drawn),
        library=_library(),
        script=_asset("page.js"),
    )


def figures(judgement: Judgement, records: Sequence[Record]) -> list[Figure]:
    """All figures in the order of the page: knees, CPU and delay of each sweep, then bars."""
    drawn: list[Figure | None] = []
    for knees in sweep.groups(judgement):
        if not sweep.points_of(judgement, knees[0]):
            continue
        drawn.append(knee.figure(judgement, knees, records))
        drawn += [cpu.figure(judgement, knees), delay.figure(judgement, knees)]
    drawn += [bar.ceilings(judgement), bar.singles(judgement)]
    return [figure for figure in drawn if figure is not None]


def embedded(drawn: Sequence[Figure]) -> str:
    """Figures and data as compact JSON that may stand inside a script element."""
    data: dict[str, Any] = {"config": theme.config(), "datasets": {}, "figures": []}
    for figure in drawn:
        panels = figure.specifications()
        for panel in panels:
            data["datasets"].update(panel.pop("datasets", {}))
        data["datasets"].update(figure.datasets())
        made = {"name": figure.name, "columns": figure.columns, "panels": panels}
        data["figures"].append(made | {"title": figure.title})
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def firm(text: str) -> str:
    """The text with numbers held to their units and intervals where lines break."""
    return re.sub(r"(?<=[\d±≥]) (?=[\dkMGµ%±(]|packets|bit|[mn]?s\b)", "\N{NO-BREAK SPACE}", text)


def _readings(run: Run, drawn: Sequence[Figure]) -> dict[str, str]:
    """Figure -> how to read it, from its plan: at the first figure of each plan."""
    texts = {plan.name: plan.reading for plan in run.plans}
    found: dict[str, str] = {}
    for figure in drawn:
        if figure.plan in texts:
            found[figure.name] = texts.pop(figure.plan)
    return found


def _tables(judgement: Judgement) -> list[tuple[str, table.Table]]:
    made = (
        ("knees", table.knees(judgement)),
        ("ceilings", table.ceilings(judgement)),
        ("single-points", table.singles(judgement)),
        ("every-point", table.points(judgement)),
    )
    return [(name, one) for name, one in made if one.rows]


def _asset(name: str) -> str:
    return (importlib.resources.files("gatemark.report") / "asset" / name).read_text("utf-8")


@functools.cache
def _template() -> jinja2.Template:
    rules = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    rules.filters["firm"] = firm
    return rules.from_string(_asset("template.html"))


@functools.cache
def _library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, for the Vega-Lite that Altair writes."""
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
