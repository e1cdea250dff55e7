# SPDX-License-Identifier: Apache-2.0
"""Mutants of the agent's C: tree-sitter finds the places, make builds and runs the unit tests.

The agent is copied below mutants/, so that the work tree stays as it is. A mutant that does not
compile is none. A survivor that the optimiser makes into the same object code as the original is
none either: no test could tell it from the original.
"""

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_c
from mutant import MUTANTS, Tried, drawn
from tree_sitter import Language, Node, Parser

# What counts and what parses. Whole agents are the tests of the rest, and of count/counters.c: it
# asks the kernel.
FOLDERS = {
    "agent/count": ("[!c]*.[ch]",),
    "agent/frame": ("*.[ch]",),
    "agent/talk": ("json.c", "line.c", "request.c"),
    "agent/replay": ("pcap.c", "pcapng.c", "packet.c", "split.c"),
}
SOURCES = Path("agent/src")
COPY = MUTANTS / "agent"
KEPT = MUTANTS / "agent.json"
LIMIT_S = 10  # the tests take a fifth of a second

PARSER = Parser(Language(tree_sitter_c.language()))
PAIRS = """
    < <=  <= <  > >=  >= >  == !=  != ==  && ||  || &&  + -  - +  * /  / *  % /  << >>  >> <<
    & |  | &  ^ &  ++ --  -- ++  += -=  -= +=  *= /=  /= *=  <<= >>=  >>= <<=  &= |=  |= &=  ^= &=
"""
SWAPS = dict(zip(PAIRS.split()[::2], PAIRS.split()[1::2], strict=True))
OPERATORS = {"binary_expression", "assignment_expression", "update_expression"}
CONDITIONS = {"if_statement", "while_statement", "conditional_expression"}
SKIPPED = {"array_declarator"}  # a larger array behaves as before


@dataclass(frozen=True)
class Change:
    """Some bytes of a file, and what stands in their place."""

    path: Path
    line: int
    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        return f"{self.path} {self.start} {self.end} {self.text}"

    def apply(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]

    def shown(self, source: bytes) -> str:
        lines = (text.splitlines()[self.line - 1] for text in (source, self.apply(source)))
        return "\n".join(
            f"    {sign} {line.decode().strip()}" for sign, line in zip("-+", lines, strict=True)
        )


def try_folder(folder: str, one_in: int, seed: int) -> Iterator[Tried]:
    """Try the sample of a folder; what was killed before is not tried again."""
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    bench = Bench()
    for path in files(folder):
        source = path.read_bytes()
        state = hashlib.sha256(source).hexdigest()[:12]
        for change in changes(path, source):
            if not drawn(change.name, one_in, seed):
                continue
            key = f"{state} {change.name}"
            if kept.get(key) not in ("killed", "none"):
                kept[key] = bench.verdict(change, source)
                KEPT.write_text(json.dumps(kept, indent=0))
            if kept[key] != "none":
                yield Tried(path, change.line, kept[key] == "killed", change.shown(source))


def files(folder: str) -> list[Path]:
    home = SOURCES / Path(folder).name
    return sorted(path for pattern in FOLDERS[folder] for path in home.glob(pattern))


def changes(path: Path, source: bytes) -> Iterator[Change]:
    """All small changes of a file."""
    for node in nodes(PARSER.parse(source).root_node):
        for place, text in replacements(node):
            yield Change(path, place.start_point.row + 1, place.start_byte, place.end_byte, text)


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        if child.type not in SKIPPED:
            yield from nodes(child)


def replacements(node: Node) -> Iterable[tuple[Node, str]]:
    """Where to put what, in place of `node` or of a part of it."""
    operator = node.child_by_field_name("operator")
    if node.type in OPERATORS and operator and operator.type in SWAPS:
        yield operator, SWAPS[operator.type]
    elif node.type == "unary_expression" and operator:
        yield operator, ""
    elif node.type == "number_literal":
        yield node, f"({text_of(node)} + 1)"
    elif node.type == "expression_statement":
        yield node, ";"
    elif node.type in CONDITIONS and (condition := node.child_by_field_name("condition")):
        yield condition, f"(!({text_of(condition)}))"


def text_of(node: Node) -> str:
    return (node.text or b"").decode()


class Bench:
    """A copy of the agent, where one mutant after the other is built and tested."""

    def __init__(self) -> None:
        left_out = shutil.ignore_patterns("build", "corpus")
        for folder in ("agent", "bpf", "setup"):
            shutil.rmtree(MUTANTS / folder, ignore_errors=True)
            shutil.copytree(folder, MUTANTS / folder, ignore=left_out)
        if not self.build():
            raise SystemExit(f"the agent does not build in {COPY}: what is missing there?")
        if not self.tests_pass():
            raise SystemExit("the agent's unit tests fail as they are: make test STAGE=agent")

    def verdict(self, change: Change, source: bytes) -> str:
        """`killed`, `survived`, or `none` where it is no mutant."""
        place = MUTANTS / change.path
        place.write_bytes(change.apply(source))
        try:
            if not self.build():
                return "none"
            if not self.tests_pass():
                return "killed"
            return "none" if self.is_equivalent(place, source) else "survived"
        finally:
            place.write_bytes(source)

    def build(self) -> bool:
        make = ["make", "-s", "-C", str(COPY), "build/test/native", "WARNINGS=-w"]
        make.append(f"ZIG={shlex.quote(sys.executable)} -m ziglang")
        return subprocess.run(make, capture_output=True, check=False).returncode == 0

    def tests_pass(self) -> bool:
        tests = COPY / "build/test/native"
        limits = {"ASAN_OPTIONS": "hard_rss_limit_mb=1000"}
        try:
            done = subprocess.run(
                [tests], capture_output=True, check=False, timeout=LIMIT_S, env=os.environ | limits
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def is_equivalent(self, place: Path, source: bytes) -> bool:
        """Whether the optimiser sees no difference; a header has no object code of its own."""
        if place.suffix == ".h":
            return False
        changed = self.object_code(place)
        place.write_bytes(source)
        return changed == self.object_code(place)

    def object_code(self, place: Path) -> bytes:
        made = MUTANTS / "one.o"
        flags = ["-std=gnu11", "-O2", "-w", "-D_GNU_SOURCE", f"-I{COPY}/src", f"-I{MUTANTS}"]
        subprocess.run(["cc", *flags, "-c", place, "-o", made], check=True)
        return made.read_bytes()
