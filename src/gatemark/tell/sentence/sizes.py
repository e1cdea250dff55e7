# SPDX-License-Identifier: Apache-2.0
"""Which sizes of packets come through, and which vanish without a word?"""

from collections.abc import Iterable

from gatemark.judge.judgement import PointResult
from gatemark.kind.mtu.plan import MTU
from gatemark.plan.feature import longest_bytes
from gatemark.tell.sentence.case import Case
from gatemark.tell.words import traffic

HEADERS = {"ipv4": 40, "ipv6": 60}  # bytes of IP and TCP
HANGS = "so TCP hangs there"
FRAGMENTS = ("mtu_fragments", "mtu_fragments_late")


def applies(case: Case) -> bool:
    """Return True where sizes were asked for."""
    return any(point.definition.quantity == MTU for point in case.judgement.points)


def say(case: Case) -> str:
    """Say what hangs, and where fragments are lost; else what is the longest."""
    points = [point for point in case.judgement.points if point.definition.quantity == MTU]
    points = [point for point in points if "mtu_bytes" in point.values]
    if not points:
        return ""
    texts = [
        f"Packets of {longest + 1} to {most} bytes vanish without a word, {what} "
        f"({_listed(where)})."
        for (longest, most, what), where in _silent(points).items()
    ]
    hanging = [p for (*_, what), where in _silent(points).items() for p in where if what == HANGS]
    if any(point.values["mtu_told"].value < 1 for point in hanging):
        texts.append("Let its ICMP errors through, or clamp TCP's MSS.")
    if lost := [p for p in points if any(p.values[name].value < 1 for name in FRAGMENTS)]:
        texts.append(f"Fragments do not come through ({_listed(lost)}).")
    if texts:
        return " ".join(texts)
    least = min(map(_longest, points))
    if all(_longest(point) == _full(point) for point in points):
        return f"Packets up to {max(map(_full, points))} bytes and fragments come through."
    return f"Packets up to {least} bytes come through, and of longer ones the sender is told."


def _longest(point: PointResult) -> int:
    return round(point.values["mtu_bytes"].value)


def _full(point: PointResult) -> int:
    """The longest that was asked for."""
    return longest_bytes(point.definition.features)


def _silent(points: Iterable[PointResult]) -> dict[tuple[int, int, str], list[PointResult]]:
    """Points where packets vanish, by the longest that does not, that does, and what TCP does."""
    silent: dict[tuple[int, int, str], list[PointResult]] = {}
    for point in points:
        if point.values["mtu_handled"].value < 1:
            longest, mss = _longest(point), point.values.get("mtu_mss_bytes")
            offered = mss.value + HEADERS[point.definition.family] if mss else _full(point)
            what = HANGS if offered > longest else "but TCP is clamped below"
            silent.setdefault((longest, _vanishing(point), what), []).append(point)
    return silent


def _vanishing(point: PointResult) -> int:
    """The longest that vanishes: a sender who learns a size knows that longer ones do not go."""
    is_told = point.values["mtu_told"].value == 1
    return round(point.values["mtu_told_bytes"].value) if is_told else _full(point)


def _listed(points: Iterable[PointResult]) -> str:
    """`MTU 1400, up, IPv4 and IPv6`."""
    families: dict[str, list[str]] = {}
    for point in points:
        where = f"{point.arm}, {point.definition.direction}"
        families.setdefault(where, []).append(traffic.FAMILY[point.definition.family])
    return "; ".join(f"{where}, {' and '.join(every)}" for where, every in families.items())
