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
from gatemark.plan.model import Factor, Goal, Search
from gatemark.plan.shaper.shaping import HELD
from gatemark.run.search import halve, shaped, shaping
from gatemark.run.search.ask import Answer, Ask, Bounds, SearchError, Steps
from gatemark.run.search.length import left_s
from gatemark.run.search.standing import Standing
from gatemark.store.record import Record


def _csit(terms: Search) -> Steps:
    """MLRsearch, imported late: as its package is, it reads the source of every loaded module."""
    from gatemark.run.search import mlr

    return mlr.throughput(terms)


PROFILES: Final[Mapping[str, Callable[[Search], Steps]]] = {
    "csit": _csit,
    "rfc2544": halve.throughput,
    "diffuse": halve.throughput,
    "rfc9004": halve.burst,
    "shaper": shaped.highest,
}
ASKED: Final = ("rate_pps", "packets", "mbit")  # factors that a search adds to a step's point
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
            kept_at = at(record.point)
            if ask is None or kept_at != what(ask):
                wanted = "nothing more" if ask is None else in_words(what(ask))
                raise GatemarkError(
                    f"{record.trial}: kept at {in_words(kept_at)}, where this version of the "
                    f"search asks for {wanted}; resume it with the version that began it, or "
                    "run it anew"
                )
            self.take(record)

    def take(self, record: Record) -> None:
        """Take the record that was asked for. An invalid one is asked for again, a few times."""
        assert self.ask is not None
        self.records.append(record)
        if record.status == "skipped":
            self._end(record.reason)
            return
        if record.status != "ok" or record.accounting is None:
            self._tries += 1
            if self._tries == TRIES:
                self._end(f"{TRIES} trials in a row did not count: {record.reason}")
            return
        self._tries = 0
        answer = shaping.answer(record) if self.ask.mbit else Answer.of(record, self.ways)
        self.steps.append(Step(self.ask, answer, record))
        self._advance(answer)

    def standing(self) -> Standing:
        """Where it is now, by the goal whose bounds are widest apart."""
        bursts = self.ask is not None and self.ask.packets > 0
        rates: list[Goal] = [goal for goal in self.terms.goals if goal != "burst"]
        goals: list[Goal] = ["burst"] if bursts else rates
        gaps = [(goal, *self._between(goal)) for goal in goals]
        goal, low, high = max(gaps, key=lambda gap: _apart(gap[1], gap[2]))
        trial = len(self.records) + 1
        unit = "bit/s" if goal == HELD else "packets" if bursts else "packets/s"
        spent_s = sum(step.ask.duration_s for step in self.steps if not step.ask.packets)
        left = left_s(self.terms, _apart(low, high), spent_s)
        return Standing(goal, low, high, unit, trial, left)

    def _between(self, goal: Goal) -> tuple[float, float | None]:
        """The highest that met the goal, and the lowest above it that did not."""
        seen = [(self._level(goal, step.ask), step.answer) for step in self.steps]
        low = max((at for at, answer in seen if at and answer.meets(goal)), default=0.0)
        above = [at for at, answer in seen if at > low and not answer.meets(goal)]
        return low, min(above, default=None)

    def _level(self, goal: Goal, ask: Ask) -> float:
        """What a step asked for, in the unit of its goal; 0: it was none of this goal's."""
        if goal == HELD:
            return ask.mbit * 1e6
        if goal == "burst":
            return float(ask.packets)
        return 0.0 if ask.packets else self.ways * ask.rate_pps

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


def what(ask: Ask) -> dict[str, float]:
    """What is asked for, as the point of a step's record has it."""
    if ask.mbit:
        return {"mbit": ask.mbit}
    return {"rate_pps": ask.rate_pps} | ({"packets": ask.packets} if ask.packets else {})


def at(point: Mapping[str, Factor]) -> dict[str, Factor]:
    """What was asked for in a kept step."""
    return {name: level for name, level in point.items() if name in ASKED}


def in_words(asked: Mapping[str, Factor]) -> str:
    """`1000 packets/s`, `47.5 Mbit/s`."""
    units = {"rate_pps": "packets/s", "packets": "packets", "mbit": "Mbit/s"}
    return " and ".join(f"{level:g} {units[name]}" for name, level in asked.items()) or "nothing"


def _apart(low: float, high: float | None) -> float:
    """The distance relative to the higher bound; 1 where a bound is not known."""
    return 1.0 if not high or not low else (high - low) / high
