# SPDX-License-Identifier: Apache-2.0
"""Why does what was measured make no answer?"""

from typing import Final

from gatemark.tell.sentence.case import Case, is_sound, is_testers

TESTERS_FAULT: Final = "No rate is told, as the tester was at fault."
ONCE: Final = (
    "No rate is told yet: it needs two trials at least. The tables have what was measured."
)


def applies(case: Case) -> bool:
    """Return True where a point is of one trial, or of a tester at fault."""
    return any(not is_sound(point, case.judgement) for point in case.judgement.points)


def say(case: Case) -> str:
    """Name which of the two it is."""
    judged = case.judgement
    unsound = [point for point in judged.points if not is_sound(point, judged)]
    return TESTERS_FAULT if any(is_testers(p, judged.diagnoses) for p in unsound) else ONCE
