# SPDX-License-Identifier: Apache-2.0
"""A search under way: asks for a trial, takes its record, knows where it stands. Pure.

It knows nothing of clocks or chance: the same records give the same asks and the same end. So a
search that was cut goes on by taking the records that are kept.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self

from gatemark.error import GatemarkError
from gatemark.plan.model import Search
from gatemark.plan.search import LOSS
from gatemark.run.search import halve, mlr
from gatemark.run.search.ask import Answer, Ask, Bounds, SearchError, Steps
from gatemark.run.search.length import left_s
from gatemark.run.search.standing import Standing
from gatemark.store.record import Record

PROFILES: Final[Mapping[str, Callable[[Search], Steps]]] = {
    "csit": mlr.throughput,
    "rfc2544": halve.throughput,
    "diffuse": halve.throughput,
    "rfc9004": halve.burst,
}
TRIES: Final = 3  # of one step whose trials are invalid, before the search is given up


@dataclass(frozen=True, slots=True)
class Step:
    """One trial that counted."""

    ask: Ask
    answer: Answer
    record: Record


class Ongoing:
    """`with Ongoing(terms, ways)`: one search, step by step. `ask` is None at its end."""

    def __init__(self, terms: Search, ways: int) -> None:
        self.terms = terms
        self.ways = ways
        self.ask: Ask | None = None
        self.bounds: list[Bounds] = []
        self.failed = ""  # why it came to no end
        self.steps: list[Step] = []
        self.records: list[Record] = []  # the invalid ones too
        self._tries = 0
        self._algorithm = PROFILES[terms.profile](terms)
        self._advance(None)

    def __enter__(self) -> Self:
        """The search, at its first step."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it wherever it is."""
        self._algorithm.close()

    def replay(self, kept: Iterable[Record]) -> None:
        """Take the records of an earlier run. Raises GatemarkError where they do not fit."""
        for record in kept:
            ask = self.ask
            rate, packets = record.point.get("rate_pps"), record.point.get("packets", 0)
            if ask is None or rate != ask.rate_pps or packets != ask.packets:
                wanted = "nothing more" if ask is None else f"{ask.rate_pps:g} packets/s"
                raise GatemarkError(
                    f"{record.trial}: kept at {rate} packets/s, where this version of the search "
                    f"asks for {wanted}; resume it with the version that began it, or run it anew"
                )
            self.take(record)

    def take(self, record: Record) -> None:
        """Take the record that was asked for. An invalid one is asked for again, a few times."""
        assert self.ask is not None
        self.records.append(record)
        if record.status != "ok" or record.accounting is None:
            self._tries += 1
            if self._tries == TRIES:
                self._end(f"{TRIES} trials in a row did not count: {record.reason}")
            return
        self._tries = 0
        answer = Answer.of(record, self.ways)
        self.steps.append(Step(self.ask, answer, record))
        self._advance(answer)

    def standing(self) -> Standing:
        """Where it is now, by the goal whose bounds are widest apart."""
        bursts = self.ask is not None and self.ask.packets > 0
        goals = ["burst"] if bursts else [goal for goal in self.terms.goals if goal != "burst"]
        gaps = [(goal, *self._between(goal)) for goal in goals]
        goal, low, high = max(gaps, key=lambda gap: _apart(gap[1], gap[2]))
        trial = len(self.records) + 1
        unit = "packets" if bursts else "packets/s"
        spent_s = sum(step.ask.duration_s for step in self.steps if not step.ask.packets)
        left = left_s(self.terms, _apart(low, high), spent_s)
        return Standing(goal, low, high, unit, trial, left)

    def _between(self, goal: str) -> tuple[float, float | None]:
        """The highest that met the goal, and the lowest above it that did not."""
        bursts = goal == "burst"
        seen = [
            (float(step.ask.packets) if bursts else self.ways * step.ask.rate_pps, step.answer)
            for step in self.steps
            if bool(step.ask.packets) == bursts and (bursts or step.ask.rate_pps)
        ]
        low = max((at for at, answer in seen if answer.passes(LOSS[goal])), default=0.0)
        above = [at for at, answer in seen if at > low and not answer.passes(LOSS[goal])]
        return low, min(above, default=None)

    def _advance(self, answer: Answer | None) -> None:
        try:
            if answer is None:
                self.ask = next(self._algorithm)
            else:
                self.ask = self._algorithm.send(answer)
        except StopIteration as end:
            self.ask, self.bounds = None, end.value
        except SearchError as error:
            self._end(str(error))

    def _end(self, why: str) -> None:
        self.ask, self.failed = None, why


def _apart(low: float, high: float | None) -> float:
    """The distance relative to the higher bound; 1 where a bound is not known."""
    return 1.0 if not high or not low else (high - low) / high
