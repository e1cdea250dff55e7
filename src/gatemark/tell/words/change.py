# SPDX-License-Identifier: Apache-2.0
"""The verdict on a change in words, with what would help where there is none."""

from gatemark.judge.judgement import Change

WORTH_IT = 100  # repeats; a guess at more is no help


def verdict(change: Change, *, at_least: bool) -> str:
    """The verdict, with what would help where it is none."""
    if at_least:
        return "inconclusive (tester-limited)"
    if not change.more:
        return change.verdict
    unit = "boot" if change.paired else "repeat"
    if change.more > WORTH_IT:
        return f"{change.verdict} (over {WORTH_IT} more {unit}s)"
    return f"{change.verdict} (about {change.more} more {unit}{'' if change.more == 1 else 's'})"
