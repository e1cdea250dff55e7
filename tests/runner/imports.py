# SPDX-License-Identifier: Apache-2.0
"""Who imports whom, read from the sources by words: parsing them takes ten times as long."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from runner.process import ROOT

TOPS: Final = ("src/gatemark", "tests", "benchmarks")
IMPORT: Final = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<module>[.\w]+)[ \t]+import[ \t]+"
    r"(?:\((?P<many>[^)]*)\)|(?P<few>[^\n(]+))"
    r"|import[ \t]+(?P<whole>[^\n(]+))",
    re.MULTILINE,
)
# Who asks all kinds of workload for a layer imports that module of each (gatemark.kind.kinds).
ASKED: Final = re.compile(r"\bentries\(\"(\w+)\"")
COMMENT: Final = re.compile(r"#[^\n]*")


def imported(path: Path, root: Path = ROOT) -> Iterator[tuple[int, str]]:
    """Each import of a module, deferred ones too: its line, and its whole name with dots.

    A name of a module (`gatemark.error.UsageError`) is given as it is asked for; of `import *` the
    module alone.
    """
    text = path.read_text()
    package = path.relative_to(root).with_suffix("").parts[:-1]
    package = package[1:] if package[0] in {"src", "tests"} else package
    for match in IMPORT.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        module = match["module"] or ""
        above = len(module) - len(module.lstrip("."))
        start = package[: len(package) - above + 1] if above else ()
        names = COMMENT.sub("", match["many"] or match["few"] or match["whole"])
        for name in (item.split(" as ")[0].strip(" \t\n*") for item in names.split(",")):
            yield line, ".".join(filter(None, (*start, module.lstrip("."), name)))


@cache
def modules(root: Path = ROOT) -> Mapping[str, Path]:
    """Every module and package of ours by its name: `gatemark.plan.load`, `builder`, `vm.kills`."""
    paths = {}
    for top in TOPS:
        for path in (root / top).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            parts = parts if parts[0] == "benchmarks" else parts[1:]
            paths[".".join(parts).removesuffix(".__init__")] = path
    return paths


@cache
def graph(root: Path = ROOT) -> Mapping[Path, frozenset[Path]]:
    """Each file of ours with those that it imports: a module, or the one that a name comes from."""
    known = modules(root)
    edges: dict[Path, frozenset[Path]] = {}
    for path in known.values():
        names = {
            name if name in known else name.rpartition(".")[0] for _, name in imported(path, root)
        }
        names |= {
            name
            for layer in ASKED.findall(path.read_text())
            for name in known
            if re.fullmatch(rf"gatemark\.kind\.\w+\.{layer}", name)
        }
        edges[path] = frozenset(known[name] for name in names if name in known) - {path}
    return edges
