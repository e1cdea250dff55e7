# SPDX-License-Identifier: Apache-2.0
"""The run that README shows, unpacked; docs/pictures.py keeps it."""

import tarfile
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "docs" / "sample"


def unpack(folder: Path) -> Path:
    """Its directory below a folder, with its records."""
    run = folder
    with tarfile.open(SAMPLE / "run.tar.gz") as archive:
        for member in archive:
            kept = archive.extractfile(member)
            assert kept is not None
            run = folder / Path(member.name).parent
            run.mkdir(parents=True, exist_ok=True)
            (folder / member.name).write_bytes(kept.read())
    return run
