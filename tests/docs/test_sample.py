# SPDX-License-Identifier: Apache-2.0
"""The answer that README shows is what the code says today of the run that is kept beside it."""

import tarfile
from pathlib import Path

from command import gatemark

SAMPLE = Path(__file__).parents[2] / "docs" / "sample"


def unpacked(folder: Path) -> Path:
    """The kept run as one of `gatemark-runs`; its page is named in the answer, and not read."""
    with tarfile.open(SAMPLE / "run.tar.gz") as archive:
        archive.extractall(folder / "gatemark-runs", filter="data")
    (run,) = (folder / "gatemark-runs").iterdir()
    (run / "report.html").touch()
    return run.relative_to(folder)


def test_the_sample_is_what_show_prints(tmp_path: Path) -> None:
    done = gatemark("show", unpacked(tmp_path), cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == (SAMPLE / "answer.txt").read_text(encoding="utf-8")


def test_the_sample_fits_a_terminal() -> None:
    lines = (SAMPLE / "answer.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
