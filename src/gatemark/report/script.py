# SPDX-License-Identifier: Apache-2.0
"""What a page draws with: figures and data as compact JSON, Vega as one script, nothing fetched."""

import functools
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

from gatemark.error import GatemarkError
from gatemark.report import html
from gatemark.report.chart import theme, tip
from gatemark.report.chart.figure import Figure
from gatemark.report.chart.palette import Palette

# Of the package django-js-lib-vega-embed, which holds the three as their authors built them.
VEGA: Final = "static/js_lib_vega_embed/vega-embed-full.js"
BEYOND: Final = (
    "values of the run are so large that a figure has no numbers for them: its records were "
    "changed; gatemark show --json prints what they hold"
)


def embedded(drawn: Sequence[Figure], colors: Palette) -> str:
    """Figures and data as compact JSON that may stand inside a script element.

    Raises GatemarkError where a sum of values is no number any more, as of nothing measured here.
    """
    data: dict[str, Any] = {"config": theme.config(), "datasets": {}, "figures": []}
    for figure in drawn:
        panels = figure.specifications()
        colors.paint(panels, figure.plan)
        tip.by_rule(panels)
        for panel in panels:
            data["datasets"].update(panel.pop("datasets", {}))
        data["datasets"].update(figure.datasets())
        made = {"name": figure.name, "columns": figure.columns, "panels": panels}
        data["figures"].append(made | {"title": figure.title})
    try:
        text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except ValueError:
        raise GatemarkError(BEYOND) from None
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@functools.cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, below the licences that ask to be kept."""
    script = (files("js_lib_vega_embed") / VEGA).read_text("utf-8")
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return f"/*\n{html.asset('vega-licences.txt')}*/\n{script}"
