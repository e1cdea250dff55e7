# SPDX-License-Identifier: Apache-2.0
"""How fast is the gateway's processor?"""

from gatemark.kind.algorithm import left_out
from gatemark.kind.algorithm import point as kernel
from gatemark.number import si
from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.who import gateway


def applies(case: Case) -> bool:
    """Return True of algorithms."""
    return any(kernel.fastest(case.points, name) for name in kernel.UNITS)


def say(case: Case) -> str:
    """Name the fastest point of each kind of kernel, and what of its input was left out."""
    run, records, points = case.run, case.records, case.points
    clauses = [
        f"{kernel.DOES.get(name, name)} {si(best.values[best.definition.headline].value, unit)}"
        for name, unit in kernel.UNITS.items()
        for best in kernel.fastest(points, name)
    ]
    who = "This machine's" if run.station.kind == "netns" else f"{gateway(run, [])}'s"
    *others, last = clauses
    does = f"{', '.join(others)} and {last}" if others else last
    fastest = f"{who} processor {does} (the fastest of each kind)."
    return " ".join((fastest, *left_out.sentences(records)))
