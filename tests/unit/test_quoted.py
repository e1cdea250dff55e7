# SPDX-License-Identifier: Apache-2.0
"""What the type checker does not see of `node/quoted.py`: that scripts are made by it alone.

A template is a constant of this program: text as it stands, or what a module works out as it is
loaded, before anything of another's origin is known. All else goes in as a value, which is quoted.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

from gatemark.node.quoted import require_open

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "gatemark"
QUOTED = "node/quoted.py"
TEMPLATED = {"shell", "literal", "literals", "joined"}  # `joined` by its separator
MAKERS = {"Script", "literal", "literals", "joined", "as_written"}
# Who may take a script as it is written: of the plan's author, of our own journal.
AS_WRITTEN = {"gateway/feature/program/command.py", "gateway/journal.py"}
# Who may call a shell by the system: it runs the user's own --switch, or command of a console.
SYSTEM_SHELL = {"run/switch.py", "commands/campaign/console.py"}
SHELLS = {"sh", "ash", "bash", "/bin/sh"}
# A module without one of these words does nothing that is looked for: parsing takes long.
WORDS = re.compile(
    r"\b(Script|shell|literals?|joined|as_written|system|popen|create_subprocess_shell)\b"
    r"|[\"'](/bin/)?b?a?sh[\"']"
)


@cache
def sources() -> dict[str, str]:
    """The text of each module that does something that is looked for, by its place."""
    texts = {str(path.relative_to(PACKAGE)): path.read_text() for path in PACKAGE.rglob("*.py")}
    return {
        place: text
        for place, text in sorted(texts.items())
        if place != QUOTED and WORDS.search(text)
    }


@cache
def tree(text: str) -> ast.Module:
    return ast.parse(text)


def is_constant(node: ast.expr) -> bool:
    """Whether nothing but constants is in an expression: names in capitals are a module's."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
        case ast.Subscript(value=value) | ast.FormattedValue(value=value):
            return is_constant(value)
        case ast.JoinedStr(values=parts):
            return all(map(is_constant, parts))
    return False


def nodes(node: ast.AST, *, later: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """All that is below a node, and whether it runs later than its module is loaded."""
    for child in ast.iter_child_nodes(node):
        yield child, later
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        yield from nodes(child, later=later or is_function)


def template(call: ast.Call) -> ast.expr | None:
    """What has to be a constant in a call."""
    match call.func:
        case ast.Name(id="joined") | ast.Attribute(attr="joined"):
            return next((word.value for word in call.keywords if word.arg == "by"), None)
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in TEMPLATED:
            return call.args[0]
    return None


def faults(source: str, place: str) -> Iterator[str]:
    """What a module does that it should let `node/quoted.py` do, with its lines."""
    for node, later in nodes(tree(source)):
        why = makes_a_script(node, place) or uses_a_shell(node, place)
        if later and isinstance(node, ast.Call) and (text := template(node)):
            why = why or ("" if is_constant(text) else f"{ast.unparse(text)} is no constant")
        if why:
            yield f"{place}:{getattr(node, 'lineno', 0)}: {why}"


def makes_a_script(node: ast.AST, place: str) -> str:
    """Why a node makes a Script in a way of its own, or nothing."""
    match node:
        case ast.Call(func=ast.Name(id="Script") | ast.Attribute(attr="Script")):
            return "makes a Script"
        case ast.Call(func=ast.Name(id="cast"), args=[ast.Name(id="Script"), _]):
            return "makes a Script"
        case ast.alias(name=name, asname=str()) if name in MAKERS:
            return "gives a maker of scripts another name"
        case ast.Call(args=args) if any(isinstance(a, ast.Name) and a.id in MAKERS for a in args):
            return "hands a maker of scripts on"
        case ast.Call(func=ast.Name(id="as_written")) if place not in AS_WRITTEN:
            return "takes a script as it is written"
    return ""


def uses_a_shell(node: ast.AST, place: str) -> str:
    """Why a node gives a script to a shell in a way of its own, or nothing."""
    match node:
        case ast.Tuple(elts=words) | ast.List(elts=words) | ast.Call(args=words):
            return "calls a shell: by sh()" if calls_a_shell(words) else ""
        case ast.Attribute(attr="system" | "popen"):
            return "calls the system's shell"
        case ast.keyword(arg="shell") | ast.Attribute(attr="create_subprocess_shell") if (
            place not in SYSTEM_SHELL
        ):
            return "calls the system's shell"
    return ""


def calls_a_shell(words: list[ast.expr]) -> bool:
    """Whether a shell is told a script in a command."""
    texts = [word.value if isinstance(word, ast.Constant) else None for word in words]
    return any(
        first in SHELLS and str(second).startswith("-") and "c" in str(second)
        for first, second in pairwise(texts)
    )


def test_scripts_are_made_of_constants_and_quoted_values() -> None:
    assert [fault for place, text in sources().items() for fault in faults(text, place)] == []


def templates() -> Iterator[tuple[str, str]]:
    """Each template that `shell` gets, with its place."""
    for path, text in sources().items():
        if "node.quoted import" not in text:
            continue
        place = f"gatemark.{path.removesuffix('.py').replace('/', '.')}"
        for node in ast.walk(tree(text)):
            match node:
                case ast.Call(func=ast.Name(id="shell"), args=[template]):
                    for each in values(template, place):
                        yield f"{place}:{node.lineno}", each


def values(template: ast.expr, place: str) -> Iterable[str]:
    """What a template is: text, or a constant of its module."""
    match template:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Name(id=name):
            return [getattr(import_module(place), name)]
        case ast.Subscript(value=ast.Name(id=name)):
            return getattr(import_module(place), name).values()  # type: ignore[no-any-return]
    raise AssertionError(f"{place}:{template.lineno}: give this template a name")


def test_no_template_puts_a_value_into_quotes() -> None:
    known = [*templates()]
    assert len(known) > 50
    for place, text in known:
        try:
            require_open(text)
        except ValueError as error:
            raise AssertionError(f"{place}: {error}") from None


PLANTED = (
    'shell(f"ip link set {device} up")',
    'shell("ip link set " + device)',
    'shell("ip link set %s" % device)',
    'shell("ip link set {}".format(device))',
    "shell(text)",
    "quoted.literal(text)",
    "literals({'a': text})",
    "joined(scripts, by=text)",
    "Script(text)",
    "cast(Script, text)",
    "as_written(text)",
    "map(literal, texts)",
    "from gatemark.node.quoted import literal as mark",
    'node.run("sh", "-c", text)',
    'node.run("sh", "-ec", text)',
    'run(["ip", "netns", "exec", space, "sh", "-c", text])',
    "subprocess.run(text, shell=True)",
    "os.system(text)",
    "asyncio.create_subprocess_shell(text)",
)


def test_a_planted_fault_is_found() -> None:
    texts = [f"def do(text, device):\n    {planted}\n" for planted in PLANTED]
    assert [text for text in texts if not WORDS.search(text)] == []
    assert [text for text in texts if not [*faults(text, "planted.py")]] == []


RIGHT = (
    'shell("ip link set {device} up", device=device)',
    'shell(f"{BEGIN}; {{device}}", device=device)',
    "shell(BY[by], port=port)",
    "literal(space.FLUSH)",
    'joined(scripts, by=" && ")',
    "node.run(*sh(script))",
    'node.run("sh", path)',
    'run("taskset", "-c", cpu)',
)


def test_what_is_right_is_left_alone() -> None:
    texts = [f"def do(device):\n    {right}\n" for right in RIGHT]
    assert [fault for text in texts for fault in faults(text, "right.py")] == []
