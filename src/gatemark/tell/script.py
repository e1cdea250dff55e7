# SPDX-License-Identifier: Apache-2.0
"""What a page draws with: figures and data as compact JSON, Vega as one script, nothing fetched."""

import functools
import json
import re
from collections.abc import Sequence
from typing import Any, Final

from gatemark.tell import html
from gatemark.tell.chart import theme
from gatemark.tell.chart.figure import Figure
from gatemark.tell.chart.palette import Palette

# As their authors built them (setup/lock/npm.txt), in the order that they need each other in.
VEGA: Final = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")
TIP_FORMAT: Final = "quantity"  # the page's own format, which takes a unit
UNITS: Final = {"pps": "packets/s", "bps": "bit/s", "ns": "ns"}
_ENDS: Final = re.compile(rf"_({'|'.join(UNITS)})(_lo|_hi)?$")


def embedded(drawn: Sequence[Figure], colors: Palette) -> str:
    """Figures and data as compact JSON that may stand inside a script element."""
    data: dict[str, Any] = {"config": theme.config(), "datasets": {}, "figures": []}
    for figure in drawn:
        panels = figure.specifications()
        colors.paint(panels, figure.plan)
        _print_numbers(panels)
        data["datasets"].update(figure.datasets())
        made = {"name": figure.name, "columns": figure.columns, "panels": panels}
        data["figures"].append(made | {"title": figure.title})
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _print_numbers(spec: Any) -> None:
    """Give tooltips numbers as all else prints them (asset/number.js), in place."""
    parts = spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ()
    for part in parts:
        _print_numbers(part)
    tips = spec.get("tooltip") if isinstance(spec, dict) else None
    for tip in tips if isinstance(tips, list) else ():
        unit = _unit(tip)
        if unit:
            tip |= {"formatType": TIP_FORMAT, "format": unit}


def _unit(tip: dict[str, Any]) -> str:
    """The unit that the field's name ends in; a plain share is one, a change with a sign is not."""
    end = _ENDS.search(tip.get("field", ""))
    if end:
        return UNITS[end[1]]
    text = str(tip.get("format", ""))
    return "ratio" if text.endswith("%") and not text.startswith("+") else ""


@functools.cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed in one script, below the licences that ask to be kept."""
    script = "\n".join(html.asset(f"vega/{name}") for name in VEGA)
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return f"/*\n{html.asset('vega-licences.txt')}*/\n{script}"
