# SPDX-License-Identifier: Apache-2.0
"""Whatever a device prints: a value, or an error of ours in one line. No reader is left out."""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gatemark
from gatemark.error import GatemarkError, NodeError
from gatemark.node import clock, hardware, report
from gatemark.node.reader import READERS, Printed, odd, reader
from gatemark.node.shell import Clock
from gatemark.plan.fact import FACTS
from gatemark.probe.loop import MARK, WHOLE, Sample

PACKAGE = Path(gatemark.__file__).parent
HEARING = ("node", "gateway", "probe", "station", "kind", "run")  # folders that talk to hosts


@cache
def readers() -> dict[str, Callable[..., Any]]:
    """All of them: a reader is known once its module is imported."""
    for path in PACKAGE.rglob("*.py"):
        if "\n@reader(" in (text := path.read_text()) or "\n    @reader(" in text:
            import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
    return dict(READERS)


def sources() -> list[str]:
    """The columns of some probes."""
    from gatemark.probe.kind import cpu, memory, softirq

    return [probe.PROBE.column for probe in (cpu, memory, softirq)]


# Nonsense of the kinds that come nearest to what is meant, besides any text at all.
WORDS = st.sampled_from(
    [
        *("0", "1", "-1", "7f", "0x1003", "4096", "9" * 20, "9" * 5000, "1e999", "nan", "½", "²"),
        *(
            "eth0",
            "cpu",
            "cpu0",
            "0-3",
            "99999999-1",
            ":",
            "@@",
            "@.",
            "inet",
            "10.0.0.1/33",
            "::/0",
        ),
        *("{", "}", "[]", '[{"dev":"eth0","kind":"fq","drops":"x"}]', "null", "\x1b]0;x\x07", "\0"),
        *("VmHWM:", "kB", "stat", "packets", "term", "Tcp:", "entries", "high:", "\ufffd"),
    ]
)
LINES = st.lists(st.lists(WORDS, max_size=9).map(" ".join), max_size=6)
TEXT = LINES.map("\n".join) | st.text(max_size=80)
ITEMS = st.none() | TEXT | st.integers()
SAMPLES = st.lists(
    st.builds(
        Sample,
        st.integers(0, 1 << 63),
        st.dictionaries(
            st.sampled_from(["/proc/stat", "/proc/meminfo", "/sys/class/thermal/a/temp"]),
            st.lists(TEXT, min_size=1, max_size=3),
        ),
    ),
    max_size=3,
)
TIMED = TEXT | TEXT.map(lambda text: f"{MARK} {text}") | st.just(WHOLE)
# What is given to a parameter, by its name; a text where nothing is said.
GIVEN: dict[str, Any] = {
    "lines": LINES,
    "samples": SAMPLES,
    "read": st.lists(st.tuples(st.integers(0, 1 << 63), TIMED), max_size=6),
    "sources": st.builds(sources),
    "devices": st.just(["eth0"]),
    "names": st.just({"lan0": "eth0"}),
    "before": st.just({"usual": 1}),
    "chosen": st.just("3"),
    "direction": st.just("up"),
    "at_s": st.just(0.0),
    "is_own": st.booleans(),
    "cpu": st.just(0),
    "line": TEXT | TEXT.map(str.encode) | st.binary(max_size=40),
    "listed": ITEMS | st.lists(ITEMS | st.lists(ITEMS, max_size=3), max_size=3),
    "encoded": TEXT | st.none() | st.integers(),
}


@settings(max_examples=15, deadline=None, database=None)
@given(st.fixed_dictionaries(GIVEN), TEXT, TEXT)
def test_each_reader_gives_a_value_or_an_error_of_ours(
    special: dict[str, Any], text: str, other: str
) -> None:
    faults = {}
    for name, read in readers().items():
        given_ = dict(zip(inspect.signature(read).parameters, (text, other) * 4, strict=False))
        given_ |= {key: special[key] for key in given_.keys() & special.keys()}
        try:
            assert "\n" not in refused(partial(read, **given_))
        except Exception as error:
            faults[name] = (error, given_)
    box = dict.fromkeys(hardware.QUESTIONS, text)
    assert hardware.hardware(box).keys() == {*FACTS}
    assert not faults
    assert {name.split(".")[1] for name in readers()} >= {*HEARING}


def refused(read: Callable[[], Any]) -> str:
    """What is said of what cannot be read; nothing where it can."""
    try:
        read()
    except GatemarkError as error:
        return str(error)
    return ""


VERBS = st.sampled_from(sorted({verb for verb, _ in report.OF_VERB} | {"slow"}))
KEYS = st.sampled_from([*report.Came.__annotations__, *report.Sent.__annotations__, "low", "count"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)
EVENTS = st.sampled_from(["hello", "ready", "start", "tick", "done", "error", "count", "opened"])


@settings(max_examples=30, deadline=None, database=None)
@given(VERBS, st.binary(max_size=60) | st.builds(lambda ev, m: (ev, m), EVENTS, JSON))
def test_an_agents_line_gives_a_message_or_an_error_of_ours(verb: str, line: Any) -> None:
    if isinstance(line, tuple):
        event, rest = line
        line = json.dumps({**(rest if isinstance(rest, dict) else {"x": rest}), "ev": event})
        line = line.encode()
    if why := refused(lambda: report.message("gateway", verb, line)):
        assert why.startswith(f"gateway: what gm-agent {verb} printed (")
        assert why.isprintable()
    else:
        assert isinstance(report.message("gateway", verb, line)["ev"], str)


def test_an_odd_text_is_told_with_its_host_and_shown_in_short() -> None:
    @reader("a number")
    def number(text: str) -> int:
        return int(text)

    READERS.pop(f"{__name__}.{number.__qualname__}")
    text = Printed.by("gateway", "\x1b[2Jx" * 100)
    with pytest.raises(NodeError) as error:
        number(text)
    message = str(error.value)
    assert message.startswith(r"gateway: a number cannot be read: '\x1b[2Jx\x1b[2J")
    assert message.isprintable()
    assert len(message) < 200


def test_a_time_that_is_none_is_an_error_that_an_agent_tells() -> None:
    with pytest.raises(TypeError):
        clock.here({"ev": "x", "t_ns": "soon"}, Clock(ahead_ns=1))
    assert str(odd("", "a time", "x")) == "a host: a time cannot be read: 'x'"


# Where a host is heard, nothing is made of its text but by a reader.
ASKS = {"run", "script", "ask", "line", "pipe", "_ask", "_read"}
MAKES = {"int", "float", "ip_interface", "ip_address", "loads", "b64decode", "decode"}
MADE = re.compile(rf"\b({'|'.join(sorted(MAKES))})\(")  # parsing takes long
OWN = {  # what looks like it, and reads no text of a host
    # what a feature, a plan or this program itself says
    ("gateway/feature/buckets.py", "apply"),
    ("gateway/feature/port/steering.py", "_steer"),
    ("gateway/feature/wireguard.py", "_key"),
    ("gateway/journal.py", "_left"),
    ("station/wiring.py", "interface"),
    ("kind/fill/load.py", "ready"),
    # checked where it entered (node/checked.py)
    ("station/ssh/box.py", "_addresses"),
    ("station/ssh/ports.py", "vlan"),
    # this machine's own kernel
    ("probe/connections.py", "kernel_bytes"),
    ("probe/connections.py", "_meminfo"),
    ("probe/starved.py", "_task"),
    ("station/napi.py", "_pids"),
    ("kind/tool/program.py", "_sent"),
    ("kind/tool/program.py", "begun"),
    # an agent's report, which node/report.py has checked
    ("probe/kind/soak.py", "cpu_soaked"),
    ("kind/tool/load.py", "began_ns"),
    ("kind/fill/load.py", "add"),
}


def hears(tree: ast.Module) -> bool:
    """Whether a module has a host do something and takes what it prints."""
    return any(
        isinstance(node, ast.Await)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute | ast.Name)
        and _called(node.value) in ASKS
        for node in ast.walk(tree)
    )


def makers(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Functions outside of readers that make a number or another value of a text, with the line."""
    functions = {
        node.name: node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    read = {
        name
        for name, node in functions.items()
        if any(
            isinstance(by, ast.Call) and isinstance(by.func, ast.Name) and by.func.id == "reader"
            for by in node.decorator_list
        )
    }
    below = list(read)
    while below:
        for node in ast.walk(functions[below.pop()]):
            if isinstance(node, ast.Name) and node.id in functions and node.id not in read:
                read.add(node.id)
                below.append(node.id)
    for name in functions.keys() - read:
        for node in ast.walk(functions[name]):
            if isinstance(node, ast.Call) and _called(node) in MAKES and not _replaces(node):
                yield name, node.lineno


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def _replaces(node: ast.Call) -> bool:
    """Whether it is `decode(errors="replace")`, which cannot fail."""
    return any(word.arg == "errors" for word in node.keywords)


def test_where_a_host_is_heard_values_are_made_by_readers_alone() -> None:
    own, offenders = set(), []
    for path in (path for folder in HEARING for path in sorted((PACKAGE / folder).rglob("*.py"))):
        text = path.read_text()
        if "await " in text and MADE.search(text) and hears(tree := ast.parse(text)):
            name = str(path.relative_to(PACKAGE))
            for function, line in makers(tree):
                own.add((name, function))
                if (name, function) not in OWN:
                    offenders.append(f"{name}:{line}: {function}")
    assert not offenders, "decorate these with @reader, or let a reader do it"
    assert own == OWN, "these read nothing any more: leave them out of OWN"
