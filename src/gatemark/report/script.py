# SPDX-License-Identifier: Apache-2.0
"""What a page draws with: figures and data as compact JSON, Vega as one script, nothing fetched."""

import functools
import json
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata
from typing import Any

import altair as alt
import vl_convert

from gatemark.error import UnavailableError
from gatemark.report.chart import theme
from gatemark.report.chart.figure import Figure
from gatemark.store import file, xdg

WHOLE = "\n// whole\n"  # the end of a bundle that nothing cut


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
    """Vega, Vega-Lite and Vega-Embed in one script, for the Vega-Lite that Altair writes.

    To bundle them takes seconds, so the bundle is kept in the user's cache, by its versions.
    """
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    name = f"vega-lite-{version}-{metadata.version('vl-convert-python')}.js"
    with suppress(OSError, UnavailableError, UnicodeDecodeError):
        if (text := (xdg.cache() / name).read_text("utf-8")).endswith(WHOLE):
            return text
    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    text = bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--") + WHOLE
    with suppress(OSError, UnavailableError):
        file.write(xdg.make(xdg.cache()) / name, text.encode())
    return text
