# SPDX-License-Identifier: Apache-2.0
"""The applications that can be played on this machine, and the command that installs the others."""

from gatemark.kind.application.programs import APPLICATIONS, fix, missing
from gatemark.station.doctor import Finding


def applications() -> Finding:
    """Return what is there; a run can do without."""
    lacking = {name: missing([name]) for name in APPLICATIONS}
    there = [name for name, packages in lacking.items() if not packages]
    packages = missing(APPLICATIONS)
    return Finding(
        "applications",
        ok=not packages,
        text=f"can be played: {', '.join(there) or 'none'}",
        fix=fix(packages) if packages else "",
        needed=False,
    )
