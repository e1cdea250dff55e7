# SPDX-License-Identifier: Apache-2.0
"""Which tests a change can break: those whose imports lead to a file that changed.

A file that is no Python counts as the modules that name it (a plan: `quick/sweep`), else as those
beside it, else as those that name its folder. A test that starts `gatemark` as a program imports
all of its verbs. What stands outside the package (the agent, BPF programs, documents) is reached by
whole stages: `OUTSIDE`.
"""

import subprocess
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from runner.imports import graph
from runner.process import ROOT

TRAFFIC: Final = ("agent", "fuzz", "lab", "vm", "counted", "box")
# The top of a path -> stages that a change below it can break.
OUTSIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "agent": TRAFFIC,
    "bpf": TRAFFIC,
    "algorithms": ("algorithms",),
    "classifier": ("classifier",),
    "counter": ("counter", "counted"),
    "setup": ("installed",),
    "docs": ("docs",),
}


def changed(base: str, root: Path = ROOT) -> set[Path]:
    """All files that differ from a commit, those that git does not know yet too.

    Raises ValueError where git does not know the commit.
    """
    names = set[str]()
    for command in (
        ("diff", "--name-only", "-z", base, "--"),
        ("ls-files", "--others", "--exclude-standard", "-z"),
    ):
        git = ["git", "-C", str(root), *command]
        done = subprocess.run(git, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError(f"{base}: {done.stderr.strip()}")
        names |= set(done.stdout.split("\0")) - {""}
    return {root / name for name in names}


def stages(files: Iterable[Path], root: Path = ROOT) -> set[str]:
    """The stages that files outside the package reach as a whole."""
    tops = {path.relative_to(root).parts[0] for path in files}
    documents = {"docs"} if any(path.suffix == ".md" for path in files) else set[str]()
    return documents.union(*(OUTSIDE.get(top, ()) for top in tops))


def distances(files: Collection[Path], root: Path = ROOT) -> dict[Path, int]:
    """Each file whose imports lead to one of these, with the number of steps; 0: it changed."""
    importers: dict[Path, set[Path]] = {}
    for path, imports in edges(root).items():
        for other in imports:
            importers.setdefault(other, set()).add(path)
    steps = {path: 0 for path in files for path in modules_for(path, root)}
    waiting = deque(steps)
    while waiting:
        path = waiting.popleft()
        for importer in importers.get(path, ()):
            if importer not in steps:
                steps[importer] = steps[path] + 1
                waiting.append(importer)
    return steps


@cache
def edges(root: Path = ROOT) -> dict[Path, set[Path]]:
    """The imports, and what follows without one: fixtures, verbs and features that have a name."""
    package = root / "src" / "gatemark"
    all_edges = {path: set(imports) for path, imports in graph(root).items()}
    for path in all_edges:
        more = set[Path]()
        if "import_module(" in text(path):
            more |= {other for other in all_edges if path.parent in other.parents} - {path}
        if '"-m", "gatemark"' in text(path):
            more |= {package / "__main__.py"}
        if path.name.startswith("test_"):
            more |= {folder / "conftest.py" for folder in path.parents if root in folder.parents}
        all_edges[path] |= more & all_edges.keys()
    return all_edges


def modules_for(path: Path, root: Path = ROOT) -> Iterable[Path]:
    """The modules that a change of a file may change: itself, or who reads it."""
    if path.suffix == ".py":
        return [path]
    if path.suffix == ".md":  # a document, which `stages` sees to
        return []
    known = edges(root)
    folder = path.parent
    beside = [module for module in known if module.parent == folder]
    own = (f'"{path.name}"', f'"{folder.name}/{path.stem}"')
    return readers(own, known) or beside or readers((f'"{folder.name}"',), known)


def readers(names: Iterable[str], known: Iterable[Path]) -> list[Path]:
    """The modules that hold one of these words."""
    return [module for module in known if any(name in text(module) for name in names)]


@cache
def text(path: Path) -> str:
    """A file's text, read once."""
    return path.read_text()


def reached(folder: Path, files: Collection[Path], root: Path = ROOT) -> list[Path]:
    """The test files below a folder that these changes reach, the nearest first."""
    steps = distances(files, root)
    paths = [path for path in sorted(folder.rglob("test_*.py")) if path in steps]
    return sorted(paths, key=lambda path: steps[path])
