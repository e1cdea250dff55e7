# SPDX-License-Identifier: Apache-2.0
"""What is there of trials that nothing else is said of?"""

from gatemark.plan.feature import DIRECT
from gatemark.tell.sentence.case import Case


def applies(case: Case) -> bool:
    """Return True of any trial."""
    return bool(case.records)


def say(case: Case) -> str:
    """Count those that are valid."""
    records = case.records
    valid = [record for record in records if record.status == "ok"]
    if not valid:
        return f"Nothing has been measured yet: none of {len(records)} trials was valid."
    if any(record.definition.path != DIRECT for record in valid):
        return f"Valid trials: {len(valid)} of {len(records)}; the tables have their values."
    return f"No gateway has been measured yet; valid trials of the tester alone: {len(valid)}."
