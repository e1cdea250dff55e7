# SPDX-License-Identifier: Apache-2.0
"""A clock that is set by an hour ends nothing and keeps nothing waiting: who asks the time of day.

Deadlines and durations are CLOCK_MONOTONIC's. Each use of the time of day in the source stands
here with what a step of it does there.
"""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGE: Final = ROOT / "src" / "gatemark"
ASKED: Final = {
    *("time.time", "time.time_ns", "time.ctime", "time.localtime", "time.gmtime"),
    *("time.strftime", "time.asctime", "datetime.now", "datetime.utcnow", "datetime.today"),
    *("date.today", "time.CLOCK_REALTIME"),
}
NAMED: Final = "it is in a name or a text, and nothing is reckoned with it"
BOUNDED: Final = "CLOCK_MONOTONIC bounds it, or says that it was set"
LEDGER: Final = "when an event of a campaign was noted: its order is that of its number"
VALID: Final = "a certificate, which is valid a day before and after at least"
MENTION: Final = re.compile(r"\b(?:time\.(?!mono|sleep)|from time|time as|datetime|date\.today)\b")
PYTHON: Final = {
    "fleet/keys.py": (2, VALID),
    "commands/ab.py": (1, NAMED),
    "commands/campaign/app.py": (3, f"{NAMED}; {LEDGER}"),
    "commands/campaign/coordinate.py": (5, LEDGER),
    "commands/measure.py": (1, NAMED),
    "commands/run.py": (1, NAMED),
    "commands/tuning/tune.py": (1, NAMED),
    "node/remote/lease.py": (2, NAMED),
    "run/engine.py": (1, NAMED),
    "run/search/seek.py": (1, BOUNDED),
    "run/trial.py": (1, NAMED),
    "scratch.py": (1, "a folder that its maker does not hold yet is left alone; he soon holds it"),
    "station/power/log.py": (1, BOUNDED),
    "station/qemu/lab.py": (1, "a guest that stood still is set to it"),
    "kind/responsiveness/tls.py": (1, VALID),
}
# Of the programs in C. The kernel's stamps of packets are of the time of day.
REAL: Final = re.compile(r"\b(?:CLOCK_REALTIME|gettimeofday|timespec_get)\b|(?<![\w.>])time\(")
COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
PROGRAMS: Final = {
    "agent/src/flows/export.c": "told in messages, for each anew",
    "agent/src/relay/relay.c": "against stamps, where a step is seen and told (time/step.h)",
    "agent/src/time/clock.c": "read between two reads of CLOCK_MONOTONIC",
    "classifier/src/node/teller.c": "told in messages, for each anew",
    "classifier/src/program/watch.c": "against stamps, where a step is seen (live/stamp.h)",
}


@cache
def nodes() -> dict[str, list[ast.AST]]:
    """What each module is made of."""
    paths = [path for path in PACKAGE.rglob("*.py") if MENTION.search(path.read_text())]
    return {str(p.relative_to(PACKAGE)): [*ast.walk(ast.parse(p.read_text()))] for p in paths}


def asks(node: ast.AST) -> bool:
    """Whether it names what tells the time of day, called or handed on."""
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value
    name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
    return f"{name}.{node.attr}" in ASKED


def test_each_use_of_the_time_of_day_is_known() -> None:
    uses = {name: sum(map(asks, module)) for name, module in nodes().items()}
    assert +Counter(uses) == {name: count for name, (count, _) in PYTHON.items()}


def test_modules_of_time_are_imported_by_their_names() -> None:
    """Else a use would have another name here."""
    assert [
        f"{name}:{node.lineno}"
        for name, module in nodes().items()
        for node in module
        if isinstance(node, ast.Import | ast.ImportFrom)
        and (
            getattr(node, "module", "") == "time"
            or any(alias.asname and alias.name in ("time", "datetime") for alias in node.names)
        )
    ] == []


def test_no_script_asks_for_the_date() -> None:
    word = re.compile(r"(?:^|[;|&(`]|\$\()\s*(?:date|touch|find)\s", re.MULTILINE)
    assert [path for path in PACKAGE.rglob("*.sh") if word.search(path.read_text())] == []


def test_each_use_of_it_in_a_program_is_known() -> None:
    sources = [path for name in ("agent", "algorithms", "classifier") for path in found(name)]
    uses = {str(path.relative_to(ROOT)) for path in sources if REAL.search(code(path))}
    assert uses == {*PROGRAMS}


def found(name: str) -> list[Path]:
    """The sources of a folder's programs."""
    return [*(ROOT / name / "src").rglob("*.c")]


def code(path: Path) -> str:
    """A source without its comments."""
    return COMMENT.sub("", path.read_text())
