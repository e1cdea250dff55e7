# SPDX-License-Identifier: Apache-2.0
"""What the report makes of a made-up run, each part once: by the name of the module that builds it.

All that is here is shared: a test that would change it makes its own.
"""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TypeVar

from gatemark.tell.chart.figure import Chart, Figure
from gatemark.tell.group.source import Source

T = TypeVar("T")


@cache
def source(name: str) -> Source:
    """The run as a page needs it."""
    made: Source = import_module(name).source()
    return made


@cache
def figures(name: str) -> tuple[Figure, ...]:
    """All figures of its page, in order."""
    from gatemark.tell import gallery  # Altair takes half a second

    return tuple(gallery.figures(source(name)))


def figure(name: str, start: str) -> Figure:
    """The first figure whose name begins so."""
    return next(drawn for drawn in figures(name) if drawn.name.startswith(start))


@cache
def page(name: str) -> str:
    """Its page as text."""
    from gatemark.tell import page

    return page.render([source(name)])


def every(chart: Chart[T], data: Iterable[T]) -> list[Figure]:
    """A chart of all these data, of those that it applies to."""
    return [figure for of in data if (figure := chart(of))]


def of(chart: Chart[T], data: T) -> Figure:
    """A chart of these data, which it applies to."""
    (figure,) = every(chart, [data])
    return figure
