# SPDX-License-Identifier: Apache-2.0
"""Does NEW execute more for a packet than OLD?"""

from gatemark.judge.change.exact_ab import findings, worst
from gatemark.plan.model import NEW, OLD
from gatemark.tell.sentence.case import Case


def applies(case: Case) -> bool:
    """Return True of an A/B test in instructions."""
    return bool(case.run.ab and findings(case.run.ab, case.judgement))


def say(case: Case) -> str:
    """Answer by the point that tells most."""
    test = case.run.ab
    assert test is not None
    rows = findings(test, case.judgement)
    row = worst(rows)
    new, old = (f"{arm} ({test.side(arm).name})" for arm in (NEW, OLD))
    counts = f"{row.new.instructions.value:.0f} against {row.old.instructions.value:.0f}"
    among = f"; of {len(rows)} points this one tells most" if len(rows) > 1 else ""
    if not row.difference.value:
        same = f"{new} executes as many instructions a packet as {old}: {counts}{among}."
        return same[:1].upper() + same[1:]
    more = "more" if row.difference.value > 0 else "fewer"
    by = f"{abs(row.difference.value):.0f} instructions a packet {more}"
    text = f"{new} executes {by} than {old} ({100 * row.ratio:+.2f} %): {counts}{among}."
    return (text[:1].upper() + text[1:]).replace("(-", "(\N{MINUS SIGN}")
