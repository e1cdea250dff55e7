# SPDX-License-Identifier: Apache-2.0
"""The recipe of a model: attributes, window, classes and bounds; kept in the model's header."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from gatemark.classifier.c45 import Model
from gatemark.classifier.learn import Bounds
from gatemark.classifier.manifest import MEDIA, REAL_TIME, Flow
from gatemark.classifier.setting import LARGEST_WINDOW, PROTOCOLS
from gatemark.error import UsageError

T = TypeVar("T")

VERSION: Final = "1"  # of our header
PRIORITY: Final = "realtime"
OTHER: Final = "other"
# Of both directions together: who calls and who is called look alike by them.
LENGTHS: Final = ("mean.plen", "max.plen", "min.plen", "stdev.plen")
PAUSE: Final = "max.iat"  # of an even flow it is the interval, of an uneven one its longest
INTERVALS: Final = ("mean.iat", "stdev.iat", PAUSE)
SERVICE: Final = "service.port"
LISTED: Final = "listed.port"
ATTRIBUTES: Final = (*INTERVALS, LISTED)
WINDOW: Final = 10


@dataclass(frozen=True, slots=True)
class Recipe:
    """The way to train. `priority` are the manifest's classes that are of the class realtime.

    A flow of another protocol is not trained on and never given priority. With `headers`, what
    payloads begin with goes before the tree (classifier/core/feature/header.h).
    """

    attributes: tuple[str, ...] = ATTRIBUTES
    window: int = WINDOW
    priority: tuple[str, ...] = REAL_TIME
    bounds: Bounds = field(default_factory=Bounds)
    protocol: str = "udp"
    headers: bool = False

    @property
    def classes(self) -> tuple[str, str]:
        """The model's classes, by their numbers."""
        return OTHER, PRIORITY

    def label(self, flow: Flow) -> str:
        """The model's class for a flow: by its role, without one by its class."""
        is_first = flow.role == MEDIA if flow.role else flow.label in self.priority
        return PRIORITY if is_first else OTHER

    def covers(self, flow: Flow) -> bool:
        """Return whether the tree decides about a flow."""
        return self.protocol in (flow.proto, "all")

    def header(self) -> dict[str, str]:
        """The recipe as a model's comments hold it."""
        return {
            "gatemark": VERSION,
            "window": str(self.window),
            "step": "jumping",
            "protocol": self.protocol,
            **({"headers": "1"} if self.headers else {}),
            PRIORITY: " ".join(self.priority),
            "most depth": str(self.bounds.depth),
            "most leaves": str(self.bounds.leaves),
            "least flows": f"{self.bounds.least:g}",
        }


def of(model: Model, path: Path) -> Recipe:
    """The recipe of a model that was trained here. Raises UsageError where it has none."""
    header = model.header
    if header.get("gatemark") != VERSION or model.classes != Recipe().classes:
        raise UsageError(
            f"{path}: no header of gatemark {VERSION} with classes {' '.join(Recipe().classes)}: "
            "nothing tells which window it was trained for"
        )
    bounds = Bounds(
        depth=_read(header, "most depth", int, path),
        leaves=_read(header, "most leaves", int, path),
        least=_read(header, "least flows", float, path),
    )
    window = _read(header, "window", int, path)
    priority = tuple(header.get(PRIORITY, "").split())
    protocol = header.get("protocol", "")
    is_ours = header.get("step") == "jumping" and 2 <= window <= LARGEST_WINDOW
    if not is_ours or not priority or protocol not in PROTOCOLS:
        raise UsageError(f"{path}: its step, window, protocol or {PRIORITY} is not one of ours")
    if int(header.get("confirm", "0")):
        raise UsageError(f"{path}: confirm: scores are of each window alone: take the line out")
    headers = header.get("headers", "0") == "1"
    return Recipe(model.attributes, window, priority, bounds, protocol, headers)


def _read(header: Mapping[str, str], key: str, kind: Callable[[str], T], path: Path) -> T:
    try:
        return kind(header.get(key, ""))
    except ValueError:
        raise UsageError(f"{path}: the header's {key} is no number") from None


def words(text: str, place: str) -> tuple[str, ...]:
    """Names between blanks or commas. Raises UsageError where there are none, or one twice."""
    names: Sequence[str] = text.replace(",", " ").split()
    if not names or len(set(names)) < len(names):
        raise UsageError(f"{place} {text!r}: write names, each once, with blanks between")
    return tuple(names)
