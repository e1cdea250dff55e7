# SPDX-License-Identifier: Apache-2.0
"""What does the tester carry without a gateway?"""

from gatemark.tell.sentence.case import Case
from gatemark.tell.sentence.rate import choose, full, of_points


def applies(case: Case) -> bool:
    """Return True where it was measured."""
    return bool(choose(of_points(case.judgement.ceilings)))


def say(case: Case) -> str:
    """Answer with its highest rate."""
    rate = choose(of_points(case.judgement.ceilings))[0]
    return f"The tester alone carries {full(rate)}; no gateway has been measured yet."
