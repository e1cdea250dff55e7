# SPDX-License-Identifier: Apache-2.0
"""The shape of the house: imports run one way, modules and names say what they are for."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from runner.imports import graph, imported, modules
from runner.process import ROOT

PACKAGE = ROOT / "src" / "gatemark"
LICENCE = f"# SPDX-License-{'Identifier'}: Apache-2.0\n"  # no licence of this file

# From the ground up: a module imports from floors below its own and from its own folder, never
# across a floor. `*` is where all stands that is not named; without it, that is on top.
LEAF = "counter kinds | edition error flock number printable quantity scratch unit"
HOUSE = f"{LEAF} | plan | store | node judge | classifier | station tell | gateway probe"
ABOVE = "workload | run | fleet price | commands"
ROOMS = {
    "": f"{HOUSE} | {ABOVE}",
    "run": "program | raw | result | kind-result | *",
    "judge": "math | subject | fact | finding | judgement | remedy | point | kind-point | study "
    "| shape | queue | change | capacity | verdict",
    "tell": "words | fact | sentence | group | answer | kind-answer | verb | chart | kind-figure "
    "| * | export",
    "station": "power image | * | netns qemu ssh | load recover",
}
# A kind's modules stand in the rooms of those that read them: `kind.fill.point` is judged as
# `judge.kind-point.fill`. What has no name here is of the load, or as BESIDE says.
LAYERS = {"plan": "plan", "load": "workload", "result": "run", "point": "judge"}
LAYERS |= {"answer": "tell", "figure": "tell"}
BESIDE = {
    "algorithm.budget": "point",
    "algorithm.inputs": "answer",
    "algorithm.left_out": "point",
    "algorithm.platform": "point",
    "algorithm.scanned": "point",
    "application.application": "plan",
    "application.browsers": "result",
    "application.feel": "result",
    "application.grade": "point",
    "application.meeting": "plan",
    "application.program": "plan",  # which programs, and their limits: plans name them
    "application.programs": "plan",
    "application.reel": "plan",
    "application.rfb": "plan",
    "application.rtc": "plan",
    "application.stun": "plan",
    "application.web": "plan",
    "fill.slope": "point",  # numbers alone: result, point and figure share them
    "nat.requirement": "point",
    "replay.fate": "result",
    "replay.realtime": "result",
    "soak.drift": "point",  # numbers alone: point, answer and figure share them
}
BASES = {"udp", "tcp"}  # kinds that others are made of
# Where a folder may see less of what is below it: it judges and prints records, and runs nothing.
READ = {
    "plan.feature",
    "plan.kind",
    "plan.kind-plan",
    "plan.model",
    "plan.rules",
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
    "store": {"plan.kind", "plan.model", "plan.toml"},
    "judge": READ,
    "tell": {
        "store",
        "judge",
        "plan.feature",
        "plan.kind",
        "plan.kind-plan",
        "plan.rules",
        "plan.model",
    },
}
LEAVES = set(LEAF.split())

# Words that fit anything name no file, no function and no variable.
FILES = {"within", "outside", "inside", "apart", "held"}
FILES |= {"typed", "whole", "means", "beside", "word"}
NAMES = {"one", "found", "said", "told", "mine"}
RETIRED = re.compile(r"\b(told|alike|apart|that which)\b", re.IGNORECASE)
UNREAD = {"judge", "run", "workload", "gateway"}  # not mended yet
OPENING = re.compile(r"(What|Whether|Of|By|As|Those|Who|Whose|How|That)\b")
WORDS = 5  # of a text that is a sentence
OPENINGS = 549  # docstrings that begin so: mend some, and lower it


@cache
def package() -> dict[str, Path]:
    """The modules of the package by their name below `gatemark.`: `judge.point.knee`."""
    ours = {name: path for name, path in modules().items() if PACKAGE in path.parents}
    return {name.removeprefix("gatemark").removeprefix("."): ours[name] for name in sorted(ours)}


def ours(path: Path) -> Iterator[tuple[int, str]]:
    """Each import of the package: its line and its name below `gatemark.`."""
    for line, name in imported(path):
        if name.startswith("gatemark."):
            yield line, name.removeprefix("gatemark.")


def standing(name: str) -> str:
    """The name of a kind's module among the rooms: that of others as it is."""
    top, *inner = name.split(".")
    if top != "kind":
        return name
    if len(inner) < 2:
        return "plan.rules" if inner == ["rules"] else "kinds"  # a kind's __init__ names its values
    if inner[0] in {"kinds", "rules"}:
        return standing(f"kind.{inner[0]}")
    kind, module = inner[:2]
    layer = BESIDE.get(f"{kind}.{module}", module if module in LAYERS else "load")
    return f"{LAYERS[layer]}.kind-{layer}.{kind}"


def meets(importer: str, name: str) -> bool:
    """Whether of two kinds the one may be made of the other."""
    kinds = [part[1] for part in (importer.split("."), name.split(".")) if part[0] == "kind"]
    is_known = importer.startswith("kind.") and name.startswith("kind.")
    return not is_known or kinds[0] == kinds[1] or kinds[1] in {*BASES, "kinds", "rules"}


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
    if not meets(importer, name):
        return False
    importer, name = standing(importer), standing(name)
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
    """Every module of the package with those that it imports."""
    names = {path: name for name, path in package().items()}
    edges = graph()
    return {
        name: {names[other] for other in edges[path] if other in names} - {""}
        for path, name in names.items()
    }


def test_imports_run_one_way() -> None:
    assert len(package()) > 700
    assert [
        f"{path.relative_to(ROOT)}:{line}: {module} may not import gatemark.{name}"
        for module, path in package().items()
        for line, name in ours(path)
        if not is_allowed(module, name)
    ] == []


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
        ("judge.judge", "plan.load.read"),
        ("judge.judge", "store.record_index"),
        ("judge.judge", "node.agent"),
        ("node.agent", "station.station"),
        ("station.load", "gateway.setup"),
        ("station.load", "probe.registry"),
        ("tell.page", "run.engine"),
        ("gateway.setup", "probe.registry"),
        ("workload.way", "run.raw"),
        ("run.engine", "commands.run"),
        ("judge.math.interval", "judge.point.knee"),
        ("judge.point.knee", "judge.change.diff"),
        ("judge.change.diff", "judge.judge"),
        ("tell.words.number", "tell.group.sweep"),
        ("tell.group.sweep", "tell.answer.rates"),
        ("tell.answer.rates", "tell.chart.curve"),
        ("tell.chart.curve", "tell.page"),
        ("station.image.build", "station.qemu.lab"),
        ("station.ssh.box", "station.qemu.lab"),
        ("kind.fill.plan", "kind.fill.load"),
        ("kind.fill.load", "kind.fill.result"),
        ("kind.fill.load", "run.raw"),
        ("kind.fill.result", "run.reading"),
        ("run.result.delay", "kind.udp.result"),
        ("kind.fill.point", "kind.fill.result"),
        ("kind.fill.point", "judge.change.diff"),
        ("judge.point.limit", "kind.fill.point"),
        ("kind.fill.point", "kind.fill.answer"),
        ("kind.fill.answer", "kind.fill.load"),
        ("kind.fill.answer", "tell.chart.curve"),
        ("tell.answer.rates", "kind.fill.answer"),
        ("kind.fill.answer", "kind.fill.figure"),
        ("kind.fill.point", "kind.replay.plan"),
        ("kind.udp.load", "kind.fill.load"),
    ],
)
def test_an_arrow_the_wrong_way_is_found(importer: str, name: str) -> None:
    assert not is_allowed(importer, name)


@pytest.mark.parametrize(
    ("importer", "name"),
    [
        ("plan.load", "error.UsageError"),
        ("tell.page", "judge.math.interval.median"),
        ("tell.page", "tell.chart.curve"),
        ("tell.page", "tell.card"),
        ("judge.change.diff", "judge.point.knee"),
        ("run.engine", "kind.udp.load"),
        ("kind.fill.load", "kind.udp.load"),
        ("kind.fill.result", "kind.fill.load"),
        ("kind.fill.result", "run.raw"),
        ("kind.fill.point", "judge.point.limit"),
        ("judge.change.diff", "kind.fill.point"),
        ("kind.fill.figure", "kind.fill.answer"),
        ("kind.fill.figure", "tell.chart.fill"),
        ("tell.page", "kind.fill.answer"),
        ("commands.run", "run.engine"),
    ],
)
def test_an_arrow_the_right_way_is_allowed(importer: str, name: str) -> None:
    assert is_allowed(importer, name)


def test_a_module_opens_with_licence_and_purpose() -> None:
    opening = re.compile(re.escape(LICENCE) + r'(#[^\n]*\n)*\s*r?"""\S')
    paths = [path for top in ("src", "tests", "benchmarks") for path in (ROOT / top).rglob("*.py")]
    assert [path for path in paths if not opening.match(path.read_text())] == []


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
    counts = {
        folder: len(list(folder.glob("*.py")))
        for folder in {path.parent for path in package().values()}
    }
    assert {str(folder): files for folder, files in counts.items() if files > 26} == {}


def english(tree: ast.Module) -> list[str]:
    """Texts of five words or more that are no docstring and no error's."""
    silent = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Raise, ast.Assert, ast.Expr))
        for part in ast.walk(node)
        if not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant)
    }
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent
    ]
    plain = re.compile(r"[A-Za-z][a-z'-]*[.,:;]?")
    return [t for t in texts if sum(1 for word in t.split() if plain.fullmatch(word)) >= WORDS]


def test_what_judges_has_no_english() -> None:
    """It has facts, whose words are in `tell/fact`."""
    paths = (PACKAGE / "judge").rglob("*.py")
    found = {str(path): english(ast.parse(path.read_text())) for path in paths}
    assert {name: texts for name, texts in found.items() if texts} == {}


def test_planted_english_is_found() -> None:
    text = 'def f():\n    """A docstring of more than five words."""\n    g(f"{a} of the line")\n'
    assert english(ast.parse(text + 'raise E("an error of more than five words")')) == []
    assert len(english(ast.parse(text + 'X = "the tester was the bottleneck"'))) == 1


def sources() -> list[Path]:
    """Modules whose names are looked at."""
    return [path for top in ("src", "benchmarks") for path in sorted((ROOT / top).rglob("*.py"))]


def named(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that a module gives, with its line: variables, parameters, functions, fields."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield node.lineno, name.removeprefix("_")
            case ast.ExceptHandler(name=str(name)):
                yield node.lineno, name


def test_a_name_is_the_noun_of_its_thing() -> None:
    # Only what may give one of them is parsed.
    word = re.compile(rf"\b_?({'|'.join(NAMES)})(\)| *[=,:(]| in\b)")
    texts = {path: path.read_text() for path in sources()}
    assert [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path, text in texts.items()
        if word.search(text)
        for line, name in named(ast.parse(text))
        if name in NAMES
    ] == []


def docstrings(text: str) -> Iterator[str]:
    """The docstrings of a module and of all that it defines."""
    homes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, homes) and (words := ast.get_docstring(node)):
            yield words


def test_a_docstring_has_no_retired_word() -> None:
    faults = {
        f"{path.relative_to(ROOT)}: {words.splitlines()[0]}"
        for path in sources()
        if PACKAGE in path.parents and path.relative_to(PACKAGE).parts[0] not in UNREAD
        for words in docstrings(path.read_text())
        if RETIRED.search(words)
    }
    assert faults == set()


def test_docstrings_begin_with_a_verb_or_a_noun_more_and_more() -> None:
    texts = [words for path in sources() for words in docstrings(path.read_text())]
    assert sum(bool(OPENING.match(words)) for words in texts) <= OPENINGS


def test_a_planted_docstring_is_found() -> None:
    texts = list(docstrings('"""Of it."""\ndef a():\n    """What is told."""\n'))
    assert [bool(OPENING.match(words)) for words in texts] == [True, True]
    assert [bool(RETIRED.search(words)) for words in texts] == [False, True]


def test_a_file_is_named_for_what_is_in_it() -> None:
    assert [path for path in sources() if path.stem in FILES] == []


def test_a_planted_name_is_found() -> None:
    text = "for one in ():\n    pass\ndef _told(mine): ...\ntry: ...\nexcept OSError as said: ...\n"
    planted = sorted(name for _, name in named(ast.parse(text)) if name in NAMES)
    assert planted == ["mine", "one", "said", "told"]
