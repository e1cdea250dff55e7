# SPDX-License-Identifier: Apache-2.0
"""What dist/ is made of, and how: `... | setup/bill.py dist COMMIT`.

From stdin comes the bill of materials of the Python packages (CycloneDX). What is linked into our
programs is added to it. The provenance is a statement of in-toto with SLSA's predicate, unsigned:
who publishes the files signs it. Neither has a time of its own, so both are the same twice.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from gatemark import __version__

STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "https://slsa.dev/provenance/v1"
BUILD: Final = "setup/dist"
LOCKS: Final = ("setup/lock/run.txt", "setup/lock/zig.txt")


def main() -> None:
    """Write both files beside what they are about."""
    folder, commit = Path(sys.argv[1]), sys.argv[2]
    bill = json.load(sys.stdin)
    bill["components"] += linked()
    made = statement(folder, commit)  # of the packages alone
    for name, content in (("cdx", bill), ("provenance", made)):
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        (folder / f"gatemark-{__version__}.{name}.json").write_text(text)


def linked() -> Iterator[dict[str, Any]]:
    """What is in our programs and not ours: musl, Zig's own parts of it, and compiler-rt."""
    version = Path("setup/lock/zig.txt").read_text().split()[0].partition("==")[2]
    names = (("musl", "MIT"), ("zig", "MIT"), ("compiler-rt", "Apache-2.0 WITH LLVM-exception"))
    for name, licence in names:
        yield {
            "type": "library",
            "name": name,
            "version": f"as in zig {version}",
            "licenses": [{"expression": licence}],
        }


def statement(folder: Path, commit: str) -> dict[str, Any]:
    """Who made these files of what."""
    sources = [{"uri": "git+.", "digest": {"gitCommit": commit}}]
    locks = [{"uri": name, "digest": _digest(Path(name))} for name in LOCKS]
    return {
        "_type": STATEMENT,
        "subject": [
            {"name": path.name, "digest": _digest(path)} for path in sorted(folder.iterdir())
        ],
        "predicateType": PREDICATE,
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD,
                "externalParameters": {"commit": commit},
                "resolvedDependencies": sources + locks,
            },
            "runDetails": {"builder": {"id": BUILD}},
        },
    }


def _digest(path: Path) -> dict[str, str]:
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


if __name__ == "__main__":
    main()
