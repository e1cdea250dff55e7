# SPDX-License-Identifier: Apache-2.0
"""The shape of the house: imports run one way, and every module says what it is for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "gatemark"

# From the ground up: a module imports from floors below its own and from its own folder, never
# across a floor. `*` is where all stands that is not named; without it, that is on top.
LEAF = "error flock number printable quantity unit"
HOUSE = f"{LEAF} | plan | store | node stats | classifier | station report | gateway probe"
ABOVE = "workload | run | campaign | commands"
ROOMS = {
    "": f"{HOUSE} | {ABOVE}",
    "stats": "math | subject | finding | judgement | point | kernel | study | shape | queue "
    "| change | capacity | verdict",
    "report": "words | group | answer | chart | * | export",
    "station": "power image | * | netns qemu ssh | load recover",
}
# Where a folder may see less of what is below it: it judges and prints records, and runs nothing.
READ = {
    "plan.feature",
    "plan.model",
    "store.drops",
    "store.loss",
    "store.measured",
    "store.published",
    "store.record",
    "store.run",
    "store.study",
    "store.subsystem",
}
ONLY = {
    "store": {"plan.model", "plan.toml"},
    "stats": READ,
    "report": {"store", "stats", "plan.feature", "plan.model"},
}
LEAVES = set(LEAF.split())

MODULES = sorted(PACKAGE.rglob("*.py"))
OURS = sorted(path for top in ("src", "tests", "benchmarks") for path in (ROOT / top).rglob("*.py"))


def name_of(path: Path) -> str:
    """A module's name below `gatemark.`: `stats.point.knee`; a package has its own."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


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


def floor(room: str, part: str) -> int:
    """On which floor of a room a file or folder stands."""
    floors = [names.split() for names in f"{ROOMS[room]} | *".split("|")]
    named = part if any(part in names for names in floors) else "*"
    return next(at for at, names in enumerate(floors) if named in names)


def is_below(room: str, importer: str, name: str) -> bool:
    """Whether, of two names inside a room, the second is of the same part or of a lower floor."""
    own, other = importer.split(".", maxsplit=1)[0], name.split(".", maxsplit=1)[0]
    return own == other or floor(room, other) < floor(room, own)


def is_allowed(importer: str, name: str) -> bool:
    """Whether the module `gatemark.IMPORTER` may import `gatemark.NAME`."""
    top, other = importer.split(".", maxsplit=1)[0], name.split(".", maxsplit=1)[0]
    if name == "__version__":
        return True
    if top != other:
        only = ONLY.get(top, {other}) | LEAVES
        seen = any(f"{name}.".startswith(f"{part}.") for part in only)
        return seen and is_below("", importer, name)
    if top not in ROOMS:
        return True
    own, inner = (n.removeprefix(f"{top}.") for n in (importer, name))
    # Unnamed files of a folder may see each other: no circle is all that is asked of them.
    are_unnamed = {floor(top, n.split(".")[0]) for n in (own, inner)} == {floor(top, "*")}
    return are_unnamed or is_below(top, own, inner)


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Modules that import each other, by way of others too: groups of more than one (Tarjan)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    groups = []

    def visit(node: str) -> None:
        order[node] = lowest[node] = len(order)
        path.append(node)
        for other in graph.get(node, ()):
            if other not in order:
                visit(other)
            if other in path:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == order[node]:
            at = path.index(node)
            groups.append(sorted(path[at:]))
            del path[at:]

    for node in graph:
        if node not in order:
            visit(node)
    return [group for group in groups if len(group) > 1]


def graph_of_modules() -> dict[str, set[str]]:
    """Every module of ours with those that it imports."""
    names = {name_of(path) for path in MODULES}
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        own = graph.setdefault(name_of(path), set())
        for _, name in imported(path):  # a name in a module, or a module in a package
            own.add(name if name in names else name.rpartition(".")[0])
        own.discard(name_of(path))
    return graph


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_one_way(path: Path) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name_of(path)} may not import gatemark.{name}"
        for line, name in imported(path)
        if not is_allowed(name_of(path), name)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_circle_of_files_is_left() -> None:
    assert circles(graph_of_modules()) == []


def test_a_planted_circle_is_found() -> None:
    graph = graph_of_modules()
    graph["plan.model"] = graph["plan.model"] | {"commands.run"}
    assert any({"plan.model", "commands.run"} <= set(group) for group in circles(graph))


@pytest.mark.parametrize(
    ("importer", "name"),
    [
        ("plan.load", "store.record"),
        ("store.run", "plan.load"),
        ("stats.judge", "plan.load.read"),
        ("stats.judge", "store.record_index"),
        ("stats.judge", "node.agent"),
        ("node.agent", "station.station"),
        ("station.load", "gateway.setup"),
        ("station.load", "probe.registry"),
        ("report.page", "run.engine"),
        ("gateway.setup", "probe.registry"),
        ("workload.udp", "run.raw"),
        ("run.engine", "commands.run"),
        ("stats.math.interval", "stats.point.knee"),
        ("stats.point.knee", "stats.change.diff"),
        ("stats.change.diff", "stats.judge"),
        ("report.words.number", "report.group.sweep"),
        ("report.group.sweep", "report.answer.rates"),
        ("report.answer.rates", "report.chart.knee"),
        ("report.chart.knee", "report.page"),
        ("station.image.build", "station.qemu.lab"),
        ("station.ssh.box", "station.qemu.lab"),
    ],
)
def test_an_arrow_the_wrong_way_is_found(importer: str, name: str) -> None:
    assert not is_allowed(importer, name)


@pytest.mark.parametrize(
    ("importer", "name"),
    [
        ("plan.load", "error.UsageError"),
        ("report.page", "stats.math.interval.median"),
        ("report.page", "report.chart.knee"),
        ("report.page", "report.card"),
        ("stats.change.diff", "stats.point.knee"),
        ("run.engine", "workload.udp"),
        ("commands.run", "run.engine"),
    ],
)
def test_an_arrow_the_right_way_is_allowed(importer: str, name: str) -> None:
    assert is_allowed(importer, name)


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


def test_no_folder_is_too_full() -> None:
    # one a file
    most = {"report/chart": 40, "report/answer": 43, "report/export": 27, "commands": 34}
    full = {}
    for folder in {path.parent for path in MODULES}:
        name = str(folder.relative_to(PACKAGE))
        if (files := len(list(folder.glob("*.py")))) > most.get(name, 26):
            full[name] = files
    assert full == {}
