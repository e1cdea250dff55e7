# SPDX-License-Identifier: Apache-2.0
"""The shape of the house: imports run one way, and every module says what it is for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "gatemark"

LEAVES = {"error", "unit"}  # anyone may import them, they import nothing of ours
DOING = {"station", "node", "gateway", "workload", "probe"}
READ = {"plan.model", "store.published", "store.record", "store.run", "store.subsystem"}

# Who may import what of ours, beside itself and the leaves: a package, or one module of it.
MAY: dict[str, set[str] | None] = {
    "plan": set(),
    "store": {"plan.model", "plan.toml"},
    "stats": READ,
    **{part: {"plan", "stats", "store", *DOING} for part in DOING},
    "run": {"plan", "stats", "store", *DOING},
    "report": {"store", "stats", "plan.model"},
    "commands": None,  # on top: all of it
    "__main__": None,
    "__init__": set(),
    **{leaf: set() for leaf in LEAVES},
}

MODULES = sorted(PACKAGE.rglob("*.py"))
OURS = sorted(path for top in ("src", "tests", "benchmarks") for path in (ROOT / top).rglob("*.py"))


def of(path: Path) -> str:
    """The part of the house a module belongs to: its package, or itself at the top."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Every import of ours, deferred ones too: its line and its name below `gatemark.`."""
    here = ("gatemark", *path.relative_to(PACKAGE).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import():
                start: tuple[str | None, ...] = ()
            case ast.ImportFrom(level=level, module=module):
                start = (*(here[:-level] if level else ()), module)
            case _:
                continue
        for alias in node.names:
            name = ".".join(filter(None, (*start, alias.name)))
            if name.startswith("gatemark."):
                yield node.lineno, name.removeprefix("gatemark.")


def allowed(importer: str, name: str) -> bool:
    """Whether a module of `importer` may import `gatemark.NAME`."""
    assert importer in MAY, f"{importer} is new: say in MAY what it may import"
    may = MAY[importer]
    if may is None or name == "__version__":
        return True
    return any(f"{name}.".startswith(f"{top}.") for top in {importer, *LEAVES, *may})


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_one_way(path: Path) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {of(path)} may not import gatemark.{name}"
        for line, name in imported(path)
        if not allowed(of(path), name)
    ]
    assert not wrong, "\n".join(wrong)


def test_the_rule_sees_what_it_should() -> None:
    assert allowed("report", "stats.summary.median")
    assert allowed("plan", "error.UsageError")
    assert not allowed("plan", "store.record")
    assert not allowed("stats", "plan.load.read")
    assert not allowed("report", "run.engine")
    assert not allowed("stats", "store.record_index")


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_opens_with_licence_and_purpose(path: Path) -> None:
    source = path.read_text()
    assert source.startswith("# SPDX-License-Identifier: Apache-2.0\n")
    assert ast.get_docstring(ast.parse(source)), f"{path}: the first line says the purpose"


def test_no_file_is_a_drawer_for_everything() -> None:
    drawer = re.compile(r"(utils?|helpers?|common|managers?|base|misc)(_|$)|_(utils?|helpers?)$")
    sources = [
        path
        for top in ("src", "tests", "benchmarks", "agent", "bpf")
        for path in (ROOT / top).rglob("*")
        if path.suffix in {".py", ".c", ".h", ".sh"} and "build" not in path.parts
    ]
    assert sources
    assert [path for path in sources if drawer.search(path.name.split(".")[0])] == []
