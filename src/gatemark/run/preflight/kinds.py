# SPDX-License-Identifier: Apache-2.0
"""The kinds of workload of which this machine can do a part, and what brings the rest."""

from gatemark.plan.kind import RULES
from gatemark.station.doctor import Finding


def kinds() -> list[Finding]:
    """Return what is there of each; a run can do without."""
    parts = [part for rules in RULES.values() if (part := rules.able())]
    return [
        Finding(part.what, ok=not part.fix, text=part.text, fix=part.fix, needed=False)
        for part in parts
    ]
