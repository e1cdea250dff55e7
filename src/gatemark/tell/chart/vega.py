# SPDX-License-Identifier: Apache-2.0
"""Vega-Lite in plain dictionaries: rows, marks on them, channels, and panels of marks.

`rows("knee-1", direction="up").mark("line", x=X, y=Y, strokeWidth=2)` is a layer: a part of `mark`
that names a channel of the encoding is one, every other part is a property of the mark.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

Part = dict[str, Any]

_KINDS: Final = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
_CHANNELS: Final = ("x", "x2", "y", "y2", "text", "tooltip", "detail", "order")
_EITHER: Final = ("color", "shape", "strokeDash", "xOffset", "yOffset")  # as a mapping: a channel


def channel(name: str, **parts: Any) -> Part:
    """A field by its name and kind: `rate:Q` is a number, `arm:N` a name, `boot:O` a place."""
    short, _, kind = name.partition(":")
    return {"field": short} | ({"type": _KINDS[kind]} if kind else {}) | parts


def names(domain: Sequence[str], **parts: Any) -> Part:
    """A scale over names, in this order."""
    return {"domain": list(domain), **parts}


def between(low: Any, high: Any, **parts: Any) -> Part:
    """A scale from one end to the other, without rounding."""
    return {"domain": [low, high], "nice": False, **parts}


def expression(text: str) -> Part:
    """A value that Vega reckons as it draws."""
    return {"expr": text}


def value(constant: Any) -> Part:
    """A channel with the same value for all rows."""
    return {"value": constant}


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a figure, narrowed and reckoned with, and the channels of all marks on them."""

    data: Part
    steps: tuple[Part, ...] = ()
    shared: Mapping[str, Any] = field(default_factory=dict)

    def where(self, test: str = "", **equal: Any) -> "Rows":
        """The rows whose fields have these values, or of which an expression is true."""
        steps = [{"filter": {"field": name, "equal": at}} for name, at in equal.items()]
        more = [{"filter": test}] if test else []
        return replace(self, steps=(*self.steps, *more, *steps))

    def reckon(self, **fields: str) -> "Rows":
        """The rows with further fields, each by an expression."""
        more = [{"calculate": text, "as": name} for name, text in fields.items()]
        return replace(self, steps=(*self.steps, *more))

    def encode(self, **channels: Any) -> "Rows":
        """The rows with channels for every mark on them."""
        return replace(self, shared={**self.shared, **channels})

    def mark(self, kind: str, **parts: Any) -> Part:
        """A layer."""
        look: Part = {"type": kind}
        encoding: Part = dict(self.shared)
        for name, part in parts.items():
            if part is None:
                continue
            if name in _CHANNELS or (name in _EITHER and isinstance(part, dict)):
                encoding[name] = channel(part) if isinstance(part, str) else part
            else:
                look[name] = part
        layer = {"data": self.data, "mark": look, "encoding": encoding}
        return layer | ({"transform": list(self.steps)} if self.steps else {})

    def span(self, kind: str, along: str, name: str, title: str = "", **parts: Any) -> Part:
        """A mark from the low to the high end of an interval (`figure.three`)."""
        low = channel(f"{name}_lo:Q", **({"title": title} if title else {}))
        return self.mark(kind, **{along: low, f"{along}2": f"{name}_hi"}, **parts)

    def haloed(self, **parts: Any) -> list[Part]:
        """Text that can be read over lines: paper around its letters."""
        halo = parts | {"style": [parts["style"], "halo"]}
        return [self.mark("text", **halo), self.mark("text", **parts)]


def rows(name: str, **equal: Any) -> Rows:
    """The rows that a figure names so, or those of them whose fields have these values."""
    return Rows({"name": name}).where(**equal)


def inline(*values: Mapping[str, Any]) -> Rows:
    """Rows that stand in the specification."""
    return Rows({"values": [dict(row) for row in values]})


def panel(description: str, layers: Sequence[Part], height: float, **parts: Any) -> Part:
    """Layers over each other, as wide as the page has room."""
    size = {"width": "container", "height": height, "description": description}
    return {"layer": list(layers), **size, **parts}


def tips(*plain: str, **titled: str) -> list[Part]:
    """What a pointer shows of names: these fields, then those with a title."""
    shown = [channel(f"{name}:N") for name in plain]
    return [*shown, *(channel(f"{name}:N", title=title) for name, title in titled.items())]


def numbers(form: str, titled: Mapping[str, str]) -> list[Part]:
    """What a pointer shows of numbers, in one format; an empty title is the field's name."""
    return [
        channel(f"{name}:Q", **({"title": title} if title else {}), format=form)
        for name, title in titled.items()
    ]


def interval(name: str, form: str = ".4s") -> list[Part]:
    """What a pointer shows of a median with its interval."""
    return numbers(form, {name: "median", f"{name}_lo": "low", f"{name}_hi": "high"})
