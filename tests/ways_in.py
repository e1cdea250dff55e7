# SPDX-License-Identifier: Apache-2.0
"""The ways into Gatemark, by reading its source: what listens, parses, starts programs, runs words.

`ways_in.toml` names each with who guards it. `found`: what the source has.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

ROOT: Final = Path(__file__).resolve().parents[1]
FILE: Final = ROOT / "tests" / "ways_in.toml"
FOLDERS: Final = ("agent/src", "algorithms/src", "classifier/src", "counter", "bpf")
KINDS: Final = ("listener", "parser", "start", "script", "words")
# A call's name, or its last part after a dot -> kind of way in. Python's.
CALLS: Final = {
    **dict.fromkeys(("bind", "listen", "create_server", "start_server"), "listener"),
    **dict.fromkeys(("start_unix_server", "dask_scheduler.main", "dask_worker.main"), "listener"),
    "serve_forever": "listener",
    **dict.fromkeys(("subprocess.run", "subprocess.Popen", "subprocess.call"), "start"),
    **dict.fromkeys(("subprocess.check_call", "subprocess.check_output", "os.popen"), "start"),
    **dict.fromkeys(("create_subprocess_exec", "os.system", "os.fork", "pty.spawn"), "start"),
    **dict.fromkeys(
        ("os.execv", "os.execve", "os.execvp", "os.execvpe", "os.posix_spawn"), "start"
    ),
    **dict.fromkeys(("create_subprocess_shell", "eval", "exec", "runpy.run_module"), "words"),
    "sh": "script",
    **dict.fromkeys(("tomllib.loads", "tomllib.load", "sqlite3.connect", "json.loads"), "parser"),
    **dict.fromkeys(("json.decode", "json.Decoder", "json.load", "csv.reader"), "parser"),
    **dict.fromkeys(("csv.DictReader", "tarfile.open", "gzip.open", "HTTPResponse"), "parser"),
    **dict.fromkeys(("zlib.decompressobj", "zlib.decompress", "gzip.decompress"), "parser"),
    **dict.fromkeys(("struct.unpack", "unpack_from", "iter_unpack", "pickle.loads"), "parser"),
    **dict.fromkeys(("duckdb.connect", "H2Connection", "ET.fromstring", "ET.parse"), "parser"),
}
# The same in C.
C_CALLS: Final = {
    "listener": re.compile(r"\b(?:bind|listen)\("),
    "start": re.compile(r"\b(?:exec[lv]p?e?|fexecve|system|popen|v?fork|posix_spawnp?)\("),
}
COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
PROGRAM: Final = re.compile(r"[a-z][a-z0-9_.-]*")
STARTS: Final = frozenset({"run", "Popen", "start", "pipe", "execvp", "create_subprocess_exec"})


@dataclass(frozen=True, slots=True)
class Way:
    """A row of the table."""

    kind: str
    what: str
    power: str  # as whom
    guard: str  # what holds it shut
    sites: tuple[str, ...]  # files that have it, or patterns of their paths
    tests: tuple[str, ...]

    def files(self) -> set[str]:
        """The files that have it: a pattern stands for those of them that have such a way in."""
        return {
            name
            for kind, name in found()
            for site in self.sites
            if kind == self.kind and fnmatch(name, site)
        }


def ways() -> list[Way]:
    """All of the table."""
    return msgspec.convert(tomllib.loads(FILE.read_text())["way"], list[Way])


def programs() -> frozenset[str]:
    """The programs that are named in the table."""
    return frozenset(tomllib.loads(FILE.read_text())["programs"])


@cache
def found(root: Path = ROOT) -> set[tuple[str, str]]:
    """Kind and file of each way in that the source has."""
    return {*_in_python(root), *_in_c(root), *_fuzzed(root)}


def started(root: Path = ROOT) -> set[str]:
    """The programs that Python starts by a name that stands in the call."""
    names = set()
    for path in (root / "src/gatemark").rglob("*.py"):
        for call in _calls(path):
            if _name(call).rpartition(".")[2] in STARTS and call.args:
                first = call.args[0]
                if isinstance(first, ast.List | ast.Tuple) and first.elts:
                    first = first.elts[0]
                if isinstance(first, ast.Constant) and PROGRAM.fullmatch(str(first.value)):
                    names.add(str(first.value))
    return names


def _in_python(root: Path) -> Iterator[tuple[str, str]]:
    for path in (root / "src/gatemark").rglob("*.py"):
        for call in _calls(path):
            name = _name(call)
            parts = name.split(".")
            for known in (parts[-1], ".".join(parts[-2:])):
                if kind := CALLS.get(known):
                    is_own = known in ("eval", "exec") and len(parts) > 1  # a method of that name
                    if not is_own:
                        yield _kind(kind, call), str(path.relative_to(root))


def _kind(kind: str, call: ast.Call) -> str:
    """A program that a shell starts is words of somebody."""
    is_shell = any(word.arg == "shell" for word in call.keywords)
    return "words" if kind == "start" and is_shell else kind


def _calls(path: Path) -> Iterator[ast.Call]:
    yield from (
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    )


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func) if isinstance(call.func, ast.Name | ast.Attribute) else ""


def _in_c(root: Path) -> Iterator[tuple[str, str]]:
    for folder in FOLDERS:
        for path in (root / folder).rglob("*.[ch]"):
            text = COMMENT.sub("", path.read_text())
            for kind, pattern in C_CALLS.items():
                if pattern.search(text):
                    yield kind, str(path.relative_to(root))


def _fuzzed(root: Path) -> Iterator[tuple[str, str]]:
    """A parser in C that is worth a fuzzer is a way in."""
    for folder in ("agent", "algorithms", "classifier"):
        for path in (root / folder / "fuzz").glob("*fuzz*.c"):
            yield "parser", str(path.relative_to(root))
