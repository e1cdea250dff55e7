# SPDX-License-Identifier: Apache-2.0
"""The answer that README shows is what the code says today of the run that is kept beside it."""

from pathlib import Path

from command import gatemark
from sample import SAMPLE, unpack


def test_the_sample_is_what_show_prints(tmp_path: Path) -> None:
    run = unpack(tmp_path / "gatemark-runs")
    (run / "report.html").touch()  # the answer names it
    done = gatemark("show", run.relative_to(tmp_path), cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out == (SAMPLE / "answer.txt").read_text(encoding="utf-8")


def test_the_sample_fits_a_terminal() -> None:
    lines = (SAMPLE / "answer.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
