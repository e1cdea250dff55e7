# SPDX-License-Identifier: Apache-2.0
"""Tooltips print numbers as all else does: three figures with prefix and unit (asset/number.js)."""

import re
from typing import Any, Final

FORMAT: Final = "quantity"  # the page's own format, which takes a unit
UNITS: Final = {"pps": "packets/s", "bps": "bit/s", "ns": "ns"}
_ENDS: Final = re.compile(rf"_({'|'.join(UNITS)})(_lo|_hi)?$")


def by_rule(spec: Any) -> None:
    """Give the tooltips of a Vega-Lite specification the page's format, in place."""
    parts = spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ()
    for part in parts:
        by_rule(part)
    tips = spec.get("tooltip") if isinstance(spec, dict) else None
    for tip in tips if isinstance(tips, list) else ():
        unit = _unit(tip)
        if unit:
            tip |= {"formatType": FORMAT, "format": unit}


def _unit(tip: dict[str, Any]) -> str:
    """The unit that the field's name ends in; a plain share is one, a change with a sign is not."""
    end = _ENDS.search(tip.get("field", ""))
    if end:
        return UNITS[end[1]]
    text = str(tip.get("format", ""))
    return "ratio" if text.endswith("%") and not text.startswith("+") else ""
