# SPDX-License-Identifier: Apache-2.0
"""The small picture of a card: inside its frame, whole, and safe from a stranger's names."""

import re
from math import inf
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from gatemark.judge.math.interval import Interval
from gatemark.tell.card.picture import MOST_BARS, NAME_WIDTH, WIDTH, Bar, Line, Picture

HOSTILE = '"><script>alert(1)</script>'
VALUES = st.floats(-1e12, 1e12, allow_subnormal=False)
INTERVALS = st.tuples(VALUES, VALUES, VALUES).map(
    lambda ends: Interval(sorted(ends)[1], min(ends), max(ends), 6, 0.97)
)


def parsed(picture: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(picture.svg)  # noqa: S314 - our own text


def at(element: ElementTree.Element, *names: str) -> list[float]:
    return [
        float(part.attrib[name]) for part in element.iter() for name in names if name in part.attrib
    ]


@given(st.lists(INTERVALS, min_size=1, max_size=MOST_BARS))
def test_bars_stay_inside_the_frame(values: list[Interval]) -> None:
    bars = tuple(Bar("arm", "red", value) for value in values)
    drawn = parsed(Picture("Bars", bars))
    places = at(drawn, "x1", "x2")
    assert min(places) >= NAME_WIDTH - 0.1
    assert max(places) <= WIDTH


def test_a_longer_bar_is_a_larger_value() -> None:
    bars = tuple(Bar("arm", "red", Interval(value, value, value, 1, 0)) for value in (1.0, 2.0))
    first, second = at(parsed(Picture("Bars", bars)), "width")
    assert second > 1.9 * first


def test_an_endless_interval_is_drawn_to_the_end() -> None:
    bars = (Bar("arm", "red", Interval(1.0, 0.5, inf, 6, 0.97)),)
    assert "inf" not in Picture("Bars", bars).svg
    lines = (Line("arm", "red", ((1.0, 1.0), (2.0, 2.0)), Interval(1.0, 0.5, inf, 6, 0.97)),)
    assert "inf" not in Picture("Lines", lines=lines).svg


def test_a_name_stays_text() -> None:
    line = Line(HOSTILE, "red", ((1.0, 1.0), (2.0, 2.0)))
    drawn = parsed(Picture(HOSTILE, lines=(line,)))
    assert not [part for part in drawn.iter() if part.tag == "script"]
    assert drawn.attrib["aria-label"] == HOSTILE


def test_the_mark_stands_where_its_rate_is() -> None:
    line = Line("arm", "red", ((0.0, 0.0), (100.0, 50.0)), Interval(25.0, 20.0, 30.0, 6, 0.97))
    uprights = re.findall(r'<line x1="([\d.]+)" y1="0.0" x2="\1"', Picture("", lines=(line,)).svg)
    assert [float(x) for x in uprights] == [WIDTH / 4]
