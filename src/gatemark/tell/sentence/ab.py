# SPDX-License-Identifier: Apache-2.0
"""Is NEW slower than OLD?"""

from gatemark.judge.change.compare import UNBOUNDED
from gatemark.judge.judgement import Change, Verdict
from gatemark.number import MINUS
from gatemark.plan.model import NEW, OLD
from gatemark.tell.sentence.case import Case
from gatemark.tell.words.figure import upper

# Verdicts, the one first that its reader must know of.
TELLING: tuple[Verdict, ...] = ("slower", "inconclusive", "faster", "within noise", "no change")


def applies(case: Case) -> bool:
    """Return True of an A/B test."""
    return bool(case.run.ab and case.judgement.comparisons)


def say(case: Case) -> str:
    """Answer by the most telling verdict of all points."""
    ab, comparisons = case.run.ab, case.judgement.comparisons
    assert ab is not None
    worst = min(comparisons, key=lambda comparison: TELLING.index(comparison.change.verdict))
    change, verdict = worst.change, worst.change.verdict
    new, old = (f"{arm} ({ab.side(arm).name})" for arm in (NEW, OLD))
    text = {
        "slower": f"{new} is slower than {old}",
        "faster": f"{new} is faster than {old}",
        "inconclusive": f"whether {new} differs from {old} cannot be told",
    }.get(verdict, f"{new} is as fast as {old}")
    boots = f"{change.change.n} boot{'' if change.change.n == 1 else 's'} of each"
    among = f"; of {len(comparisons)} points this one tells most" if len(comparisons) > 1 else ""
    return f"{upper(text)}: {_percents(change)}, {boots}{among}."


def _percents(change: Change) -> str:
    """`-2.1 % (-2.6 to -1.5)`; and what would have been seen, where nothing was."""
    interval = change.change
    if max(abs(interval.value), interval.hi) >= UNBOUNDED:
        return "from or to nothing"
    each = (f"{100 * x:+.1f}" for x in (interval.value, interval.lo, interval.hi))
    text = "{} % ({} to {})".format(*each).replace("-", MINUS)
    if change.verdict in ("slower", "faster") or change.mde >= UNBOUNDED:
        return text
    return f"{text}; {100 * change.mde:.1f} % would have been seen"
