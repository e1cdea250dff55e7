# SPDX-License-Identifier: Apache-2.0
"""Working conditions: load connections are added each interval, probes are sent evenly."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from gatemark.kind.responsiveness.burden import Burden
from gatemark.kind.responsiveness.dial import Target
from gatemark.kind.responsiveness.draft import INC, MAD, MNP, pairs_per_s
from gatemark.kind.responsiveness.formula import Score
from gatemark.kind.responsiveness.probe import Book, Foreign, Waiting
from gatemark.kind.responsiveness.stability import Course

NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a test."""

    ways: Sequence[str]  # up, down
    interval_ns: int
    capacity_bps: float  # of the way, where it is known before; 0: it is not
    seed: int  # of which load connection a self probe is beside
    most: int = MNP  # load connections, each way

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> Self:
        """Return the terms of the client's request."""
        interval_ns = int(request["interval_ms"]) * 1_000_000
        return cls(
            request["ways"],
            interval_ns,
            float(request["capacity_bps"]),
            request["seed"],
            int(request.get("most", MNP)),
        )


class Working:
    """The test from its first load on. `burdens` are open; `add` makes one more of a direction."""

    def __init__(
        self,
        target: Target,
        burdens: list[Burden],
        add: Callable[[str], Burden],
        terms: Terms,
        now_ns: int,
    ) -> None:
        ways, interval_ns = terms.ways, terms.interval_ns
        self.book = Book()
        self.course = Course(len(ways))
        self.t0_ns = now_ns
        self.burdens = burdens
        self._target = target
        self._add = add
        self._ways = ways
        self._interval_ns = interval_ns
        self._most = terms.most
        self._lot = random.Random(terms.seed)  # noqa: S311 - no secret
        self._ends_ns = now_ns + interval_ns
        self._moved = [0] * len(ways)
        self._is_foreign = False
        self.rows: dict[str, list[float]] = {
            name: [] for name in ("t_ns", "rpm", "connections", *(f"{way}_bps" for way in ways))
        }
        self._period_ns = self._period(terms.capacity_bps)
        self._probe_ns = now_ns + self._period_ns
        for burden in burdens:
            burden.load()

    @property
    def due_ns(self) -> int:
        """When there is something to do."""
        return min(self._probe_ns, self._ends_ns)

    def step(self, now_ns: int, waiting: Waiting) -> None:
        """Send the probe that is due; end the interval that is over."""
        if now_ns >= self._probe_ns:
            # Evenly from the time that it was due at; what was missed is not made up for.
            self._probe_ns = max(self._probe_ns + self._period_ns, now_ns)
            self._probe(waiting)
        if now_ns >= self._ends_ns:
            self._interval(now_ns)
            self._ends_ns += self._interval_ns

    def moved_bytes(self) -> list[int]:
        """Payload of the load so far, by direction."""
        return [
            sum(burden.moved_bytes() for burden in self.burdens if burden.direction == way)
            for way in self._ways
        ]

    @property
    def t1_ns(self) -> int:
        """When the last interval that counts was over."""
        return self.t0_ns + self.course.intervals * self._interval_ns

    @property
    def window_ns(self) -> int:
        """When the last window began."""
        return self.t1_ns - MAD * self._interval_ns

    def _probe(self, waiting: Waiting) -> None:
        self._is_foreign = not self._is_foreign
        if self._is_foreign:
            waiting.add(Foreign(self._target, self.book))
        elif able := [burden for burden in self.burdens if burden.is_open]:
            waiting.add(self._lot.choice(able).probe(self.book))

    def _interval(self, now_ns: int) -> None:
        moved = self.moved_bytes()
        seconds = self._interval_ns / NS
        rates_bps = [
            8 * (now - before) / seconds for now, before in zip(moved, self._moved, strict=True)
        ]
        self._moved = moved
        since_ns = self._ends_ns - MAD * self._interval_ns
        times = self.book.times(since_ns, tls=self._target.tls is not None)
        score = Score.of(times).rpm if times.are_enough else None
        self.course.interval(rates_bps, score)
        row = {"t_ns": self._ends_ns, "rpm": score or 0.0, "connections": len(self.burdens)}
        row |= {f"{way}_bps": rate for way, rate in zip(self._ways, rates_bps, strict=True)}
        for name, value in row.items():
            self.rows[name].append(value)
        if not self.course.over:
            self._pace(sum(rates_bps), now_ns)
            self._more()

    def _more(self) -> None:
        for way in self._ways:
            count = sum(burden.direction == way for burden in self.burdens)
            for _ in range(min(INC, self._most - count)):
                burden = self._add(way)
                self.burdens.append(burden)
                burden.load()

    def _pace(self, capacity_bps: float, now_ns: int) -> None:
        """As the last interval bears it: a slow one before may have put the next probe far off."""
        self._period_ns = self._period(capacity_bps)
        self._probe_ns = min(self._probe_ns, now_ns + self._period_ns)

    def _period(self, capacity_bps: float) -> int:
        """From probe to probe, ns."""
        pairs = pairs_per_s(capacity_bps / 8, tls=self._target.tls is not None)
        return round(NS / (2 * pairs))

    def report(self) -> dict[str, Any]:
        """Return the report to the laboratory."""
        course = self.course
        failed = sum(self.book.failed.values())
        return {
            "t0_ns": self.t0_ns,
            "t1_ns": self.t1_ns,
            "window_ns": self.window_ns,
            "intervals": self.rows,
            "loaded": self.book.report(),
            "course": {
                "phase": course.phase,
                "saturated_after": course.saturated_after,
                "goodput_stable": course.goodput_stable,
                "rpm_stable": course.rpm_stable,
                "confidence": course.confidence(self.book.tried, failed),
            },
        }
