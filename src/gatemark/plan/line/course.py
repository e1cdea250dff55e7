# SPDX-License-Identifier: Apache-2.0
"""The course of a line: how its rate and delay change by the clock, round and round.

Files of two forms. Ours is a table whose last line is the period's end:

    seconds,share,delay_ms        share: of the way's rate_bps; 0: it stands still
    0,1,0
    20,0.5,5
    60,,

Mahimahi's (mm-link) has a whole number of ms a line: when 1500 bytes may be delivered; its last one
is the period. Its rate is counted in steps of 100 ms. With `rate_bps` its highest step is that.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from math import isfinite
from pathlib import Path
from typing import Final, NamedTuple

from gatemark.error import UsageError
from gatemark.plan.model import LineWay

FOLDER: Final = Path(__file__).parent / "courses"
NAMES: Final = tuple(sorted(path.stem for path in FOLDER.glob("*.csv")))
HEAD: Final = "seconds,share,delay_ms"
MAHIMAHI_BYTES: Final = 1500
BIN_MS: Final = 100
MOST_STEPS: Final = 30_000  # the agent takes three numbers each
MOST_BYTES: Final = 1 << 25  # of a file
LEAST_BPS: Final = 8_000.0  # or 0
LONGEST_S: Final = 2_000.0  # of a period: microseconds in 31 bits
MOST_MS: Final = 2_000.0  # of delay
FIX: Final = f"write {', '.join(NAMES)} or the path of a file"


class Step(NamedTuple):
    """One step: from when on, in s; its rate, bit/s; its delay beyond the line's own, ms."""

    from_s: float
    rate_bps: float
    delay_ms: float


@dataclass(frozen=True)
class Course:
    """All steps of a way, in order, and the s after which they begin anew.

    A trial asks it for each of its packets, so what is looked up is made once.
    """

    steps: tuple[Step, ...]
    period_s: float

    @cached_property
    def _begins(self) -> list[float]:
        return [step.from_s for step in self.steps]

    @cached_property
    def _sums(self) -> list[float]:
        """Bits that are sent before each step, and in all of the period."""
        ends = [*self._begins[1:], self.period_s]
        each = (s.rate_bps * (end - s.from_s) for s, end in zip(self.steps, ends, strict=True))
        return [*accumulate(each, initial=0.0)]

    def _number(self, inside_s: float) -> int:
        return bisect_right(self._begins, inside_s) - 1

    def at(self, after_s: float) -> Step:
        """The step that holds so long after the course began; before that the first."""
        return self.steps[self._number(after_s % self.period_s if after_s > 0 else 0.0)]

    def bits(self, from_s: float, to_s: float) -> float:
        """Bits that may be sent between two times after its begin."""
        return self._until(to_s) - self._until(from_s)

    def _until(self, to_s: float) -> float:
        if to_s <= 0:
            return to_s * self.steps[0].rate_bps
        rounds, inside_s = divmod(to_s, self.period_s)
        number = self._number(inside_s)
        step = self.steps[number]
        within = self._sums[number] + step.rate_bps * (inside_s - step.from_s)
        return rounds * self._sums[-1] + within

    @property
    def longest_still_s(self) -> float:
        """The longest time in which it stands still."""
        ends = [*self._begins[1:], self.period_s]
        longest_s = since_s = 0.0
        for step, end_s in zip(self.steps, ends, strict=True):
            since_s = 0.0 if step.rate_bps else since_s + end_s - step.from_s
            longest_s = max(longest_s, since_s)
        return longest_s

    @property
    def least_bps(self) -> float:
        """The lowest rate that is one."""
        return min(step.rate_bps for step in self.steps if step.rate_bps)


def located(course: object, folder: Path) -> object:
    """A course as a plan in `folder` names it, its file without regard to where we are."""
    if not isinstance(course, str) or course in NAMES or not course:
        return course
    return str((folder / course).resolve())


def course_of(way: LineWay) -> Course | None:
    """The course of a way at its rate and period; None: it stays. Raises UsageError."""
    if not way.course:
        return None
    path = FOLDER / f"{way.course}.csv" if way.course in NAMES else Path(way.course)
    try:
        read = _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise UsageError(f"`course` = '{way.course}': {error.strerror}; {FIX}") from None
    if not (way.rate_bps or read.is_absolute):
        raise UsageError(f"`course` = '{way.course}': its steps are shares; write `rate_bps`")
    most = max(step.rate_bps for step in read.course.steps)
    times = way.rate_bps / (most if read.is_absolute else 1.0) if way.rate_bps else 1.0
    slower = way.period_s / read.course.period_s if way.period_s else 1.0
    steps = (Step(s.from_s * slower, s.rate_bps * times, s.delay_ms) for s in read.course.steps)
    course = Course(tuple(steps), read.course.period_s * slower)
    _check(path, course)
    return course


class _Read(NamedTuple):
    course: Course
    is_absolute: bool  # its rates are bit/s; else shares


@lru_cache
def _read(path: Path, changed_ns: int) -> _Read:
    """Read one file, as it was changed last. Raises UsageError, OSError."""
    del changed_ns
    if path.stat().st_size > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES >> 20} MiB; cut it")
    text = path.read_bytes().decode(errors="replace")
    lines = text.splitlines()
    if lines and lines[0].strip() == HEAD:
        return _Read(_table(path, lines[1:]), is_absolute=False)
    return _Read(_deliveries(path, lines), is_absolute=True)


def _table(path: Path, lines: Sequence[str]) -> Course:
    steps, period_s = [], 0.0
    for number, line in enumerate(lines, 2):
        words = [word.strip() for word in line.split(",")]
        is_end = number == len(lines) + 1
        try:
            period_s = float(words[0])
            if not is_end:
                steps.append(Step(*map(float, words)))
        except (ValueError, TypeError):
            wanted = "the period's end in s" if is_end else "three numbers: " + HEAD
            raise UsageError(f"{path}:{number}: '{line[:40]}' is not {wanted}") from None
        if not is_end and not all(isfinite(word) and word >= 0 for word in steps[-1]):
            raise UsageError(f"{path}:{number}: a number is below 0 or none; mend it")
    return _ordered(path, Course(tuple(steps), period_s))


def _deliveries(path: Path, lines: Sequence[str]) -> Course:
    """Mahimahi's times as rates, from the first step on in which something is delivered."""
    counts: Counter[int] = Counter()
    last = 0
    for number, line in enumerate(lines, 1):
        if not line.strip().isascii() or not line.strip().isdigit() or len(line.strip()) > 9:
            raise UsageError(f"{path}:{number}: '{line[:40]}' is no whole number of ms; {FIX}")
        if int(line) < last:
            raise UsageError(f"{path}:{number}: {int(line)} ms is before {last} ms; sort the file")
        last = int(line)
        counts[last // BIN_MS] += 1
    if not last:
        raise UsageError(f"{path}: nothing is delivered in it; {FIX}")
    return _ordered(path, _binned(counts, last))


def _binned(counts: Counter[int], last_ms: int) -> Course:
    """The end of the period, at which the last delivery is, belongs to the step before it."""
    bins = -(-last_ms // BIN_MS)
    counts[bins - 1] += counts.pop(bins, 0)
    widths = [min(BIN_MS, last_ms - at * BIN_MS) for at in range(bins)]
    first = next(at for at in range(bins) if counts[at])
    from_ms, steps = 0, list[Step]()
    for at in (*range(first, bins), *range(first)):
        rate_bps = counts[at] * MAHIMAHI_BYTES * 8e3 / widths[at]
        if not steps or steps[-1].rate_bps != rate_bps:
            steps.append(Step(from_ms / 1e3, rate_bps, 0.0))
        from_ms += widths[at]
    return Course(tuple(steps), last_ms / 1e3)


def _ordered(path: Path, course: Course) -> Course:
    ends = [step.from_s for step in course.steps] + [course.period_s]
    if len(ends) < 2 or ends[0] != 0 or any(later <= at for at, later in pairwise(ends)):
        raise UsageError(f"{path}: its steps do not begin at 0, or do not go on; sort its lines")
    if not course.steps[0].rate_bps:
        raise UsageError(f"{path}: its first step has no rate; begin where the line carries")
    return course


def _check(path: Path, course: Course) -> None:
    """Refuse a course that the agent would not take. Raises UsageError."""
    for why in _wrong(course):
        raise UsageError(f"{path}: {why}")


def _wrong(course: Course) -> Iterator[str]:
    if len(course.steps) > MOST_STEPS:
        yield f"{len(course.steps)} steps; {MOST_STEPS} at most"
    if not 0.001 <= course.period_s <= LONGEST_S:
        yield f"a period of {course.period_s:g} s; 0.001 to {LONGEST_S:g}, by `period_s`"
    if course.least_bps < LEAST_BPS:
        yield f"a step of {course.least_bps:g} bit/s; 0, or {LEAST_BPS:g} at least, by `rate_bps`"
    if max(step.delay_ms for step in course.steps) > MOST_MS:
        yield f"a delay of more than {MOST_MS:g} ms"
    if any(later.from_s - at.from_s < 2e-6 for at, later in pairwise(course.steps)):
        yield "steps of less than 2 us; lengthen the period"
