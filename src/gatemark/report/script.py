# SPDX-License-Identifier: Apache-2.0
"""What a page draws with: figures and data as compact JSON, Vega as one script, nothing fetched."""

import functools
import json
from collections.abc import Sequence
from typing import Any

import altair as alt
import vl_convert

from gatemark.report.chart import theme
from gatemark.report.chart.figure import Figure


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


@functools.cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, for the Vega-Lite that Altair writes."""
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
