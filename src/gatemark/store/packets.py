# SPDX-License-Identifier: Apache-2.0
"""The packets that are kept of a trial, and the manifest that says which flow is of what."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

MANIFEST: Final = "flows.csv"
FILE: Final = "file"  # the column that names the capture
# As `gatemark classifier train` reads it, then what else is known of a flow.
COLUMNS: Final = (
    *(FILE, "proto", "src", "sport", "dst", "dport", "application", "class"),
    *("role", "plan", "arm", "features", "line", "beside", "packets", "bytes"),
)


@dataclass(frozen=True, slots=True)
class Packets:
    """Captures of a trial by the end of their names, and a row for each flow of the first."""

    files: Mapping[str, bytes]
    flows: Sequence[Mapping[str, str]] = ()


def manifest(before: str, name: str, flows: Sequence[Mapping[str, str]]) -> str:
    """Return a manifest with the flows of one more capture; those that it had of it go."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    text.writelines(
        line for line in before.splitlines(keepends=True)[1:] if not line.startswith(f"{name},")
    )
    writer.writerows({**flow, FILE: name} for flow in flows)
    return text.getvalue()
