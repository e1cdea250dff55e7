# SPDX-License-Identifier: Apache-2.0
"""The shape of our C: includes form no circle, and the agent's folders have an order."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AGENT = ROOT / "agent" / "src"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)

# A file may include what stands in a line above its own, and its own folder. bpf is ../bpf, whose
# headers both the agent and the kernel's programs include.
ORDER: tuple[frozenset[str], ...] = (
    frozenset({"version", "bpf", "time", "sandbox"}),
    frozenset({"talk", "soak", "stay"}),
    frozenset({"frame", "gauge"}),
    frozenset({"count", "kernel"}),
    frozenset({"port", "line", "capture", "flows"}),
    frozenset({"connect", "relay", "replay", "stream", "udp"}),
    frozenset({"verbs"}),
    frozenset({"main"}),
)
DEFINITION = re.compile(r"^(?!static|typedef)\w[\w *]*?(\w+)\([^;{]*\)\n\{", re.MULTILINE)
SHARED = {"count/histogram"}  # of the agent's headers, what a program of the kernel may include

Graph = Mapping[str, Iterable[str]]  # a unit (x.c and x.h are one, `folder/x`) -> those it includes


def read_graph(*homes: tuple[Path, str]) -> dict[str, set[str]]:
    """What each unit includes of ours: of the agent and of bpf, or of other folders."""
    graph: dict[str, set[str]] = {}
    for home, prefix in homes or ((AGENT, ""), (ROOT / "bpf", "bpf/")):
        for path in home.rglob("*.[ch]"):
            unit = prefix + str(path.relative_to(home).with_suffix(""))
            included = {unit_of(name, prefix) for name in INCLUDE.findall(path.read_text())}
            graph.setdefault(unit, set()).update(included - {unit})
    return graph


def unit_of(name: str, prefix: str) -> str:
    """The unit that an include names: from agent/src, from the top, or beside the file."""
    name = name.removesuffix(".h").removeprefix("agent/src/")
    return name if "/" in name else prefix + name


def read_calls(home: Path) -> dict[str, set[str]]:
    """What each file of C uses of others: the names of functions that they define."""
    texts = {str(path.relative_to(home)): path.read_text() for path in home.rglob("*.c")}
    home_of = {name: file for file, text in texts.items() for name in DEFINITION.findall(text)}
    return {
        file: {home_of[word] for word in re.findall(r"(\w+)\(", text) if word in home_of} - {file}
        for file, text in texts.items()
    }


def folder_of(unit: str) -> str:
    """The folder of a unit, or itself at the top."""
    return unit.split("/", maxsplit=1)[0]


def circle(graph: Graph) -> list[str]:
    """The units of a circle, in order of their arrows; empty if there is none."""
    finished: set[str] = set()
    path: list[str] = []

    def visit(unit: str) -> list[str]:
        if unit in path:
            return path[path.index(unit) :]
        if unit in finished:
            return []
        path.append(unit)
        for included in sorted(graph.get(unit, ())):
            if units := visit(included):
                return units
        path.pop()
        finished.add(unit)
        return []

    return next((units for unit in sorted(graph) if (units := visit(unit))), [])


def upward(graph: Graph) -> list[str]:
    """The arrows that run against the order of the folders, as `from -> to`."""
    level = {folder: number for number, folders in enumerate(ORDER) for folder in folders}
    return [
        f"{unit} -> {included}"
        for unit in sorted(graph)
        for included in sorted(graph[unit])
        if folder_of(unit) != folder_of(included)
        and not (folder_of(unit) == "bpf" and included in SHARED)
        and level[folder_of(unit)] <= level[folder_of(included)]
    ]


def test_every_include_is_a_file_of_ours() -> None:
    graph = read_graph()
    included = {name for names in graph.values() for name in names}
    assert len(graph) > 80
    assert included - set(graph) == set()


def test_no_circle_of_files() -> None:
    assert circle(read_graph()) == []
    for program in ("algorithms", "classifier"):
        graph = read_graph((ROOT / program / "src", ""))
        assert len(graph) > 30
        assert circle(graph) == [], program


def test_no_circle_of_calls_in_the_algorithms() -> None:
    graph = read_calls(ROOT / "algorithms" / "src")
    assert "filter/binary_fuse.c" in graph["command/filter_kinds.c"]
    assert circle(graph) == []


def test_folders_have_an_order() -> None:
    assert upward(read_graph()) == []


def test_a_circle_is_found() -> None:
    tree = {"verbs/a": ["port/b", "talk/c"], "port/b": ["talk/c"], "talk/c": []}
    assert circle(tree) == []
    assert circle(tree | {"talk/c": ["port/b"]}) == ["port/b", "talk/c"]
    assert circle({"talk/a": ["talk/b"], "talk/b": ["talk/a"]}) == ["talk/a", "talk/b"]


def test_an_arrow_against_the_order_is_found() -> None:
    good = {"verbs/send": ["udp/sender"], "udp/sender": ["port/port"], "port/port": ["port/hop"]}
    assert upward(good) == []
    assert upward(good | {"port/port": ["udp/sender"]}) == ["port/port -> udp/sender"]
    assert upward(good | {"udp/sender": ["stream/sink"]}) == ["udp/sender -> stream/sink"]
    assert upward({"bpf/live.bpf": ["count/histogram", "talk/line"]}) == [
        "bpf/live.bpf -> talk/line"
    ]
