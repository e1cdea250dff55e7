# SPDX-License-Identifier: Apache-2.0
"""The rules of each kind of workload, and whether a workload keeps its own."""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.kinds import entries
from gatemark.kind.rules import Rules
from gatemark.plan.model import Workload
from gatemark.plan.sane import shared_faults

RULES: Final = entries("plan", Rules)
# By what a definition is about; what is searched for has none.
ABOUT: Final = {about: rules for rules in RULES.values() for about in rules.headlines}


def faults(load: Workload) -> Iterator[str]:
    """Why this workload cannot be sent; nothing if it can."""
    rules = RULES[load.kind]
    yield from shared_faults(load)
    yield from rules.faults(load)
    for key, (value, why) in rules.only.items():
        if (given := getattr(load, key)) != value:
            yield f"`{key}` = {given}: {why}"
