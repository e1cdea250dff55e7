# SPDX-License-Identifier: Apache-2.0
"""Finds tests that could not fail: changes the source in small ways and counts what they notice.

python tests/mutate.py [--folder judge] [--one-in 10] [--seed 1]

Of Python, mutmut makes the mutants below mutants/ and runs each in a fork of one pytest, with only
the tests that call the changed function, the nearest first (nearest.py) and up to the first that
fails; for C see mutate_agent.py. Where all would take hours, a
sample is drawn. A mutant once killed stays so until its source changes; survivors are tried again,
so an interrupted run goes on where it was. `make clean` forgets everything.
"""

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import mutate_agent
from mutant import MUTANTS, Tried, drawn, report
from mutmut.__main__ import create_mutants
from mutmut.mutation.data import SourceFileMutationData
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import copy_also_copy_files, copy_src_dir
from mutmut.utils.format_utils import orig_function_and_class_names_from_key

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path("src/gatemark")
FOLDERS = ("judge", "plan", "run/search", "store")
SURVIVED = ("survived", "no tests")
UNTRIED = ("not checked", "check was interrupted by user")


def main() -> int:
    options = arguments()
    os.chdir(ROOT)
    os.nice(10)
    for folder in options.folder or (*FOLDERS, *mutate_agent.FOLDERS):
        program = mutate_agent.try_folder if folder in mutate_agent.FOLDERS else try_folder
        report(folder, list(program(folder, options.one_in, options.seed)))
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    folders = (*FOLDERS, *mutate_agent.FOLDERS)
    parser.add_argument("--folder", action="append", choices=folders, help="default: all")
    parser.add_argument("--one-in", type=int, default=10, help="share of the mutants; 1: all")
    parser.add_argument("--seed", type=int, default=1, help="another one draws another sample")
    return parser.parse_args()


def try_folder(folder: str, one_in: int, seed: int) -> Iterator[Tried]:
    """Try the sample of a folder of the package."""
    make_mutants()
    sample = [name for _, name, _ in mutants(folder) if drawn(name, one_in, seed)]
    alive = [name for _, name, status in mutants(folder) if status in (*SURVIVED, *UNTRIED)]
    if names := sorted(set(sample) & set(alive)):
        mutmut = Path(sys.executable).with_name("mutmut")
        # One process, so that whoever else works here has the other processors.
        subprocess.run([mutmut, "run", "--max-children", "1", *names], check=True)
    for path, name, status in mutants(folder):
        if name in sample and status in SURVIVED:
            yield survivor(path, name)
        elif name in sample:
            yield Tried(path, 0, killed=True)


def make_mutants() -> None:
    """Write the mutants of the sources that changed, and copy the tests as they are now."""
    shutil.rmtree(MUTANTS / "tests", ignore_errors=True)
    MUTANTS.mkdir(exist_ok=True)
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        copy_src_dir()
        copy_also_copy_files()
        create_mutants(1)
    # mutmut asks only once which test calls what; changed tests may call other functions.
    callers = MUTANTS / "mutmut-stats.json"
    changed = max(path.stat().st_mtime for path in Path("tests").rglob("*.py"))
    if callers.exists() and callers.stat().st_mtime < changed:
        callers.unlink()


def mutants(folder: str) -> Iterator[tuple[Path, str, str]]:
    """All mutants of a folder: file, name, and what became of each in this or an earlier run."""
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        kept = SourceFileMutationData(path=path)
        kept.load()
        for name, code in kept.exit_code_by_key.items():
            yield path, name, status_by_exit_code[code]


def survivor(path: Path, name: str) -> Tried:
    diff = get_diff_for_mutant(name, path=path).splitlines()[3:]
    changed = [line for line in diff if line.startswith(("-", "+"))]
    gone = next((line[1:].strip() for line in changed if line.startswith("-")), "")
    return Tried(path, line_of(path, name, gone), False, "\n".join(f"    {t}" for t in changed))


def line_of(path: Path, mutant: str, text: str) -> int:
    """The first line that reads so, from the head of the mutant's function on."""
    function, _ = orig_function_and_class_names_from_key(mutant)
    lines = [line.strip() for line in path.read_text().splitlines()]
    head = next((i for i, t in enumerate(lines) if f"def {function.split('.')[-1]}(" in t), 0)
    return lines.index(text, head) + 1 if text in lines[head:] else head + 1


if __name__ == "__main__":
    sys.exit(main())
