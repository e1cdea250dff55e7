# SPDX-License-Identifier: Apache-2.0
"""The progress of a run on stderr: one block on a terminal, rare single lines elsewhere.

Drawn by the caller's own calls and at most twice a second: the laboratory shares a processor with
the tester, so nothing here runs while a trial is not reporting.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from gatemark.number import share, si
from gatemark.plan.kind import ABOUT
from gatemark.plan.model import TrialSpec
from gatemark.printable import printable
from gatemark.quantity import UNITS
from gatemark.store.record import Record
from gatemark.tell.answer import rates
from gatemark.tell.words import number
from gatemark.tell.words.screen import Line

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live as RichLive

DRAW_EVERY_S = 0.5
LINE_EVERY_S = 5.0
ANSWER_EVERY_S = 15.0
LAST_WARNINGS = 3
BAR_WIDTH = 30
# What tells of a kernel; a trial of the platform has one of the last three.
KERNEL = ("ops_s", "clock_hz", "copy_bytes_per_s", "memory_latency_ns")


class Standing(Protocol):
    """Between which rates a search knows its answer to lie (run/search/standing.py)."""

    @property
    def goal(self) -> str:
        """`ndr`, `pdr` or `burst`."""

    @property
    def low(self) -> float:
        """The highest that met the goal so far; 0: none did."""

    @property
    def high(self) -> float | None:
        """The lowest above it that did not."""

    @property
    def unit(self) -> str:
        """`packets/s`, or packets of a burst."""

    @property
    def trial(self) -> int:
        """The next one, from 1."""

    @property
    def left_s(self) -> float:
        """Roughly."""


class Live:
    """Tells where a run is. `repeats` gives each plan's number of repeats, for `repeat k of n`."""

    def __init__(
        self,
        repeats: Mapping[str, int] | None = None,
        console: "Console | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        from rich.console import Console  # lazy: it costs start-up time

        self._console = console or Console(stderr=True, highlight=False, soft_wrap=True)
        self._repeats = dict(repeats or {})
        self._clock = clock
        self._block: RichLive | None = None
        self._drawn = -1e9
        self._total = 0
        self._done = 0
        self._seconds_left: float | None = None
        self._what = ""
        self._rate = ""
        self._waiting = ""  # for whom; "": the trial has the machine
        self._wait_told = -1e9
        self.waited_s = 0.0
        self._last = ""
        self._warnings: list[str] = []
        self._answer: list[Line] = []
        self._answered = 0.0

    def begin(self, total_trials: int, estimate_s: float) -> None:
        """Start the block: so many trials, about so long."""
        from rich.live import Live as RichLive

        self._total, self._seconds_left = total_trials, estimate_s
        if self._console.is_terminal and not self._console.is_dumb_terminal:
            self._block = RichLive(
                console=self._console, auto_refresh=False, transient=True, redirect_stdout=False
            )
            self._block.start()
        else:
            self._line(f"{total_trials} trials, about {number.seconds(estimate_s)}")

    def more(self, trials: int) -> None:
        """So many trials more than was said at first."""
        self._total += trials

    def trial(self, spec: TrialSpec, index: int, seconds_left: float | None = None) -> None:
        """A trial starts; `index` counts from 0."""
        self._done, self._seconds_left, self._rate = index, seconds_left, ""
        self._what = describe(spec, self._repeats.get(spec.plan))
        self._draw()

    def doing(self, text: str) -> None:
        """What is done before the next trial, and takes long: printed at once, in a pipe too."""
        self._what, self._rate = text, ""
        if self._block is None:
            self._line(text)
        else:
            self._draw(at_once=True)

    def wait(self, text: str) -> None:
        """The trial waits for another that measures on this machine."""
        self._waiting = text
        now = self._clock()
        if self._block is not None:
            self._draw(at_once=True)
        elif now - self._wait_told >= LINE_EVERY_S:
            self._wait_told = now
            self._line(text)

    def go_on(self, waited_s: float) -> None:
        """The trial has the machine, after so long."""
        self.waited_s += waited_s
        if self._waiting:
            self._waiting = ""
            self._draw(at_once=True)

    def seek(self, standing: Standing) -> None:
        """A search stands there now; its next trial starts."""
        self._rate = seeking(standing)
        self._draw()

    def rate(self, value: float, unit: str) -> None:
        """What the sink sees now."""
        self._rate = f"now {number.quantity(value, unit)}"
        self._draw()

    def result(self, record: Record) -> None:
        """A trial ended."""
        self._done += record.pass_ != "search"  # its steps are not among those that were announced
        self._last = outcome(record)
        self._draw()

    def answer(self, make: Callable[[], Sequence[Line]]) -> None:
        """The answer so far; it is made now and then, since that takes the tester's time."""
        now = self._clock()
        if self._answer and (self._block is None or now - self._answered < ANSWER_EVERY_S):
            return
        self._answer, self._answered = list(make()), now
        if self._block is None:
            for _, text in (*self._answer, ("", "")):
                self._line(text)
        self._draw(at_once=True)

    def warn(self, text: str) -> None:
        """Something to know at once."""
        self._warnings.append(text)
        if self._block is None:
            self._line(f"warning: {text}")
        self._draw(at_once=True)

    def end(self) -> None:
        """Take the block away; the warnings stay on the screen."""
        if self._block is None:
            return
        self._block.stop()
        self._block = None
        for text in self._warnings:
            self._line(f"warning: {text}")

    def _draw(self, *, at_once: bool = False) -> None:
        now = self._clock()
        every = DRAW_EVERY_S if self._block is not None else LINE_EVERY_S
        if now - self._drawn < every and not (at_once and self._block is not None):
            return
        self._drawn = now
        if self._block is not None:
            self._block.update(self._picture(), refresh=True)
        elif self._what:
            self._line(
                "  ".join(part for part in (self._progress(), self._what, self._last) if part)
            )

    def _progress(self) -> str:
        left = "" if self._seconds_left is None else f", {number.seconds(self._seconds_left)} left"
        return f"{self._done}/{self._total}{left}"

    def _picture(self) -> "Group":
        from rich.console import Group
        from rich.text import Text

        filled = BAR_WIDTH * self._done // max(self._total, 1)
        bar = Text("  ").append("━" * filled, "cyan").append("━" * (BAR_WIDTH - filled), "dim")
        state = self._waiting or self._rate
        lines = [Text(printable(text), style) for style, text in self._answer]
        lines += [Text()] if lines else []
        lines += [Text(printable(self._what), "bold"), bar.append(f"  {self._progress()}")]
        lines += [Text(f"  {printable(text)}") for text in (state, self._last) if text]
        lines += [
            Text(f"  warning: {printable(text)}", "yellow")
            for text in self._warnings[-LAST_WARNINGS:]
        ]
        return Group(*lines)

    def _line(self, text: str) -> None:
        from rich.text import Text

        self._console.print(Text(printable(text)), soft_wrap=True)


def describe(spec: TrialSpec, repeats: int | None) -> str:
    """A trial in words: `quick/sweep  nat  offered 40 k packets/s, up  repeat 3 of 6`."""
    of = f" of {repeats}" if repeats and spec.pass_ == "outside" else ""
    passed = ", instrumented pass" if spec.pass_ == "instrumented" else ""
    count = "warm-up" if spec.pass_ == "warmup" else "repeat"
    if spec.pass_ == "closer":
        return f"{spec.plan}  {spec.arm.name or spec.arm.setup}  closer look {spec.repeat}"
    words = [spec.plan, spec.arm.name or spec.arm.setup, rates.point(spec.point)]
    words += [f"boot {spec.boot}"] if spec.boot else []
    return "  ".join((*filter(None, words), f"{count} {spec.repeat}{of}{passed}"))


def seeking(standing: Standing) -> str:
    """A search in words: `search ndr: between 23.1 and 24.0 k packets/s, trial 7, about 20 s more`.

    Of a goal that nothing met or nothing missed yet only the other side is shown.
    """
    high = standing.high
    to = number.scale([high or standing.low or 1.0], standing.unit)
    ends = [number.plain(end / to.factor, 1) for end in (standing.low, high or 0.0)]
    if high is None:
        where = f"above {ends[0]} {to.unit}" if standing.low else "as fast as it goes"
    else:
        where = f"between {ends[0]} and {ends[1]} {to.unit}"
    left = number.seconds(standing.left_s)
    return f"search {standing.goal}: {where}, trial {standing.trial}, about {left} more"


def outcome(record: Record) -> str:
    """A finished trial in words: `last: 26.2 k packets/s, loss 12.6 %, CPU 99.8 %  (nat ↑ up)`."""
    place = f"{record.arm} {rates.point(record.point)}"
    if record.status != "ok":
        return f"last: {record.status}, {record.reason}  ({place})"
    searched = (
        ("throughput_pps", "throughput "),
        ("held_bps", "holds "),
        ("burst_packets", "burst "),
    )
    kinds = (*searched, ("received_pps", ""), ("goodput_bps", ""), ("loss_ratio", "loss "))
    parts = [
        word + number.quantity(record.values[name], UNITS[name])
        for name, word in (*kinds, ("cpu_busy", "CPU "))
        if name in record.values
    ]
    values, headline = record.values, ABOUT.get(record.definition.quantity)
    part = values.get(headline.headlines[record.definition.quantity]) if headline else None
    if headline and headline.whole and part is not None:
        parts = [headline.whole.format(share=share(part))]
    parts += [si(values[name], UNITS[name]) for name in KERNEL if name in values]
    return f"last: {', '.join(parts) or record.status}  ({place})"
