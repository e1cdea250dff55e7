# SPDX-License-Identifier: Apache-2.0
"""A campaign of Gatemark's, from wherever it is to its end."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from command import environment


@contextmanager
def placed(out: Path | None) -> Iterator[Path]:
    """The folder for what is measured: that named, which stays, or one that goes."""
    if out:
        out.mkdir(exist_ok=True)
        yield out
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)


def run(file: Path, place: Path, *words: str) -> tuple[int, list[dict[str, object]]]:
    """Its exit code and its rows; one that has begun is gone on with."""
    verb = ["run", str(file), "--out", str(place), *words]
    if (place / "campaign.db").exists():
        verb = ["resume", str(place)]
    done = subprocess.run(
        [sys.executable, "-m", "gatemark", "campaign", *verb, "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
        check=False,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]
