# SPDX-License-Identifier: Apache-2.0
"""MLRsearch (RFC 9971) by its authors' package, which runs in a thread of its own.

The package calls its measurer and waits. Here the measurer hands each call out as an `Ask` and
waits for the `Answer`, so that the algorithm can be stepped like any other: by the event loop, by
the records of a run that was cut, by a test.
"""

import logging
import threading
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Final

from MLRsearch import (
    AbstractMeasurer,
    Config,
    GoalResult,
    MeasurementResult,
    MultipleLossRatioSearch,
    SearchGoal,
)

from gatemark.plan.model import Goal, Search
from gatemark.plan.search import EXCEED, LOSS
from gatemark.run.search.ask import Answer, Ask, Bounds, SearchError, Steps
from gatemark.run.search.overload import highest_pps

MOST_SUMS: Final = 60  # times `sum_s`, of sending: CSIT gives a search 20 minutes at 21 s
NO_CLOCK_S: Final = 1e9  # the package's own clock decides nothing: a resumed search goes the same
Found = dict[SearchGoal, GoalResult]


class _EndedError(Exception):
    """Nobody waits for this search any more."""


class _Measurer(AbstractMeasurer):  # type: ignore[misc]  # the package has no types
    """The package's side of the seam."""

    def __init__(self, most_s: float) -> None:
        self.messages: SimpleQueue[Ask | Found | Exception] = SimpleQueue()
        self.answers: SimpleQueue[Answer | None] = SimpleQueue()
        self._left_s = most_s

    def measure(self, intended_duration: float, intended_load: float) -> MeasurementResult:
        """One trial: ask for it, wait for it."""
        if self._left_s <= 0:
            raise SearchError("the gateway answered so unsteadily that the search found no end")
        self._left_s -= intended_duration
        self.messages.put(Ask(intended_load, intended_duration))
        answer = self.answers.get()
        if answer is None:
            raise _EndedError
        return MeasurementResult(
            intended_duration=intended_duration,
            intended_load=intended_load,
            offered_count=answer.tried,
            loss_count=answer.lost,
            # What a sender off its schedule did not send counts against the rate: it cannot be had.
            intended_count=answer.tried if answer.on_schedule else answer.scheduled,
        )


def throughput(terms: Search) -> Steps:
    """Search for all goals of the terms, from overload or `max_pps` downwards."""
    most = yield from highest_pps(terms)
    return (yield from search(terms, terms.goals, most))


def search(terms: Search, goals: Sequence[Goal], most_pps: float) -> Steps:
    """The relevant bounds of each goal. Raises SearchError where it comes to no end."""
    measurer = _Measurer(MOST_SUMS * terms.sum_s)
    wanted = {_goal(terms, goal): goal for goal in goals}
    config = Config()
    config.goals = wanted
    config.min_load = terms.min_pps  # before the highest, which must be above it
    config.max_load = max(most_pps, 1.01 * terms.min_pps)
    config.search_duration_max = NO_CLOCK_S
    config.warmup_duration = 0.0
    thread = threading.Thread(target=_run, args=(config, measurer), daemon=True)
    thread.start()
    try:
        while isinstance(message := measurer.messages.get(), Ask):
            measurer.answers.put((yield message))
    finally:
        measurer.answers.put(None)
        thread.join()
    if isinstance(message, Exception):
        raise message
    return [_bounds(terms, goal, message[key]) for key, goal in wanted.items()]


def _run(config: Config, measurer: _Measurer) -> None:
    """The thread: it passes the result of the search, or its error, to who waits."""
    try:
        measurer.messages.put(MultipleLossRatioSearch(config=config).search(measurer, _quiet))
    except (SearchError, _EndedError) as error:
        measurer.messages.put(error)
    except Exception as error:  # of the package: a failed search, and no failure of the run
        measurer.messages.put(SearchError(f"MLRsearch: {type(error).__name__}: {error}"))


def _quiet(text: str) -> None:
    logging.getLogger(__name__).debug(text)


def _goal(terms: Search, goal: Goal) -> SearchGoal:
    return SearchGoal(
        loss_ratio=LOSS[goal],
        exceed_ratio=EXCEED,
        relative_width=terms.width,
        initial_trial_duration=min(1.0, terms.trial_s),
        final_trial_duration=terms.trial_s,
        duration_sum=terms.sum_s,
        fail_fast=False,
    )


def _bounds(terms: Search, goal: Goal, result: GoalResult) -> Bounds:
    low, high = result.relevant_lower_bound, result.relevant_upper_bound
    conditional = result.conditional_throughput
    return Bounds(
        goal=goal,
        lower=None if low is None else Ask(float(low), terms.trial_s),
        upper=None if high is None else Ask(float(high), terms.trial_s),
        throughput_pps=0.0 if conditional is None else float(conditional),
    )
