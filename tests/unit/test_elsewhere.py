# SPDX-License-Identifier: Apache-2.0
"""Where there is no Linux: runs are read, reported and exported; what measures says what it takes.

A child without the modules that Windows lacks, on a platform that nobody knows, stands for it.
"""

import subprocess
import sys
from pathlib import Path

import builder
import pytest
from command import environment

CHILD = """
import sys
class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name in ("fcntl", "grp", "pwd", "resource", "termios"):
            raise ModuleNotFoundError(f"No module named {name!r}")
sys.meta_path.insert(0, Lacking())
from gatemark.__main__ import main
import gatemark.flock
sys.platform = "elsewhere"
main()
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return builder.keep(tmp_path_factory.mktemp("kept") / "run", builder.trials()[:30]).path


def elsewhere(*words: str | Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *words],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "words",
    [("show", "{}"), ("report", "{}"), ("export", "{}", "--format", "csv"), ("diff", "{}", "{}")],
    ids=lambda words: words[0],
)
def test_a_verb_that_reads_works(run: Path, words: tuple[str, ...]) -> None:
    assert elsewhere(*(word.format(run) for word in words))[0] == 0


def test_a_verb_that_measures_says_what_it_takes() -> None:
    code, error = elsewhere("run", "quick")
    assert (code, error.partition(";")[0]) == (1, "gatemark: what measures takes Linux")
