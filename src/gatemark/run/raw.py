# SPDX-License-Identifier: Apache-2.0
"""What a trial brought home, before anything is made of it."""

from dataclasses import dataclass, field
from typing import Any

from gatemark.workload.account import Counters
from gatemark.workload.way import Report, Way


@dataclass(slots=True)
class Raw:
    """All that a trial reported."""

    ways: list[Way]
    threads: Report
    before: Counters
    after: Counters
    inside: Report = field(default_factory=dict)
    found: dict[str, dict[str, Any]] = field(default_factory=dict)
