# SPDX-License-Identifier: Apache-2.0
"""The rules of the classifier that ships, by one digest: they are frozen before a set is opened.

    python -m benchmarks.captures.rules > benchmarks/captures/frozen

freezes them. A set whose programs came later than that was not looked at while rules were made.
"""

import hashlib
import re
from pathlib import Path
from typing import Final

from benchmarks.classifier import NAME, ROOT
from gatemark.classifier import shipped

CORE: Final = ROOT / "classifier" / "core"
PORTS: Final = CORE / "feature" / "port.h"
FROZEN: Final = Path(__file__).with_name("frozen")
LISTED: Final = re.compile(r"define PORT_LISTED.*?\n(.*?)#define", re.DOTALL)
SPAN: Final = re.compile(r"PORT\((\d+), (\d+)\)")


def digest() -> str:
    """Return the SHA-256 of the core's files, in order, and of the model."""
    together = hashlib.sha256()
    for file in (*sorted(CORE.rglob("*.h")), shipped.path(NAME)):
        together.update(file.read_bytes())
    return together.hexdigest()


def sentence() -> str:
    """Say whether the rules are those that were frozen."""
    now, then = digest(), FROZEN.read_text(encoding="utf-8").strip()
    state = "as frozen" if now == then else f"changed since they were frozen as {then[:16]}"
    return f"rules: {now[:16]}, {state}"


def is_listed(*ports: int) -> bool:
    """Return whether a port is in the table of services."""
    match = LISTED.search(PORTS.read_text(encoding="utf-8"))
    assert match
    spans = [(int(least), int(most)) for least, most in SPAN.findall(match[1])]
    return any(least <= port <= most for port in ports for least, most in spans)


if __name__ == "__main__":
    print(digest())
