# SPDX-License-Identifier: Apache-2.0
"""A model's decisions about a flow, window by window."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from gatemark.classifier.c45 import Model
from gatemark.classifier.manifest import Flow
from gatemark.classifier.recipe import OTHER, PRIORITY, Recipe
from gatemark.classifier.track import Track

# The one line that a tree has to beat: UDP is real time, but for QUIC, DNS, mDNS and SSDP.
NEVER: Final = frozenset((443, 53, 5353, 1900))
BY_HEADER: Final = "headers"
HINTS: Final = ("", OTHER, PRIORITY)  # by the number of a window's hint; of the first the tree says


@dataclass(frozen=True, slots=True)
class Verdict:
    """A flow, the class that each window gave it, and by which leaf, or by headers."""

    track: Track
    decided: tuple[str, ...]
    ways: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The class that is right."""
        return self.track.label

    @property
    def majority(self) -> str:
        """The class of most windows, which the flow has most of its life; of a tie the other."""
        counts = Counter(self.decided)
        return min(counts, key=lambda name: (-counts[name], name != OTHER), default=OTHER)

    @property
    def first_right(self) -> tuple[int, float] | None:
        """Packets and seconds of the flow when a window is right for the first time."""
        for window, name in zip(self.track.windows, self.decided, strict=True):
            if name == self.label:
                return window.packet, window.time_us / 1e6
        return None

    @property
    def uplink(self) -> tuple[int, int]:
        """IP bytes that leave the LAN, and those of them that have priority.

        A window decides about the packets behind it, so those of the first have none.
        """
        sizes = [window.uplink_bytes for window in self.track.windows]
        before = (OTHER, *self.decided)
        favoured = (size for size, name in zip(sizes, before, strict=False) if name == PRIORITY)
        return sum(sizes), sum(favoured)


def judge(model: Model, recipe: Recipe, tracks: Iterable[Track]) -> list[Verdict]:
    """Every flow; one that fills no window, or is of another protocol, gets no priority."""
    return [_verdict(model, recipe, track) for track in tracks]


def _verdict(model: Model, recipe: Recipe, track: Track) -> Verdict:
    both = [*_decided(model, recipe, track)]
    return Verdict(track, tuple(name for name, _ in both), tuple(way for _, way in both))


def _decided(model: Model, recipe: Recipe, track: Track) -> Iterator[tuple[str, str]]:
    """Class and way of each window; one that is unknown has the class before."""
    if not recipe.covers(track.flow):
        yield from ((OTHER, "") for _ in track.windows)
        return
    name, unknown = OTHER, int(model.header.get("unknown", "0"))
    for window in track.windows:
        by_header = HINTS[window.hint] if recipe.headers else ""
        if by_header:
            name = by_header
            yield name, BY_HEADER
            continue
        leaf, way = model.walk(window.values)
        name = model.classes[leaf.number] if leaf.confidence >= unknown else name
        yield name, way


def one_line(flow: Flow) -> str:
    """The class by the baseline, which needs no packet but the first."""
    is_favoured = flow.proto == "udp" and not NEVER & {flow.lan_port, flow.wan_port}
    return PRIORITY if is_favoured else OTHER
