# SPDX-License-Identifier: Apache-2.0
"""The run that README shows, unpacked; docs/pictures.py keeps it."""

import tarfile
from functools import cache
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "docs" / "sample"


def unpack(folder: Path) -> Path:
    """Its directory below a folder, with its records."""
    run = folder
    for name, content in _files():
        run = folder / Path(name).parent
        run.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return run


@cache
def _files() -> tuple[tuple[str, bytes], ...]:
    found = []
    with tarfile.open(SAMPLE / "run.tar.gz") as archive:
        for member in archive:
            kept = archive.extractfile(member)
            assert kept is not None
            found.append((member.name, kept.read()))
    return tuple(found)
