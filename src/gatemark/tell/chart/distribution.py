# SPDX-License-Identifier: Apache-2.0
"""The form of distributions: the share within a value, the share beyond it, the tail in nines."""

from collections.abc import Mapping
from math import log10
from typing import Any

from gatemark.tell.chart import theme
from gatemark.tell.chart.vega import Part, between, channel


def within(field: str, title: str) -> Part:
    """A share upwards, from nothing to all."""
    axis = {"format": "%", "tickCount": 5}
    return channel(f"{field}:Q", title=title, axis=axis, scale={"domain": [0, 1]})


def beyond(field: str, title: str, least: float) -> Part:
    """A share upwards on a log axis, from all packets down to the last one, a decade each."""
    label = "format(datum.value * 100, '~g') + ' %'"
    values = [10.0**-decade for decade in range(int(-log10(least)) + 2)]
    scale = theme.logarithmic(least / 1.3, 1)
    axis = {"labelExpr": label, "values": values}
    return channel(f"{field}:Q", title=title, axis=axis, scale=scale)


def nine(part: float) -> float:
    """The place of the percentile above which this part lies: each nine as far from the next."""
    return round(-log10(part), 3)


def nines(
    field: str, title: str, places: Mapping[str, float], ends: tuple[Any, Any], **parts: Any
) -> Part:
    """Percentiles to the right by their names."""
    axis = theme.labelled(places, **parts)
    return channel(f"{field}:Q", title=title, axis=axis, scale=between(*ends))
