# SPDX-License-Identifier: Apache-2.0
"""Everything that is judged of made records, as data; `pytest --update-golden` writes it anew.

A change of a rule or of a word shows here as the lines that it changes.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import builder
import counted
import estimated
import msgspec
import packets
import pytest
import queued
import stacked
import studies
import timed
import traveled
import warned
from simulated import PLANTED, swept

from gatemark.judge.fact import Fact
from gatemark.judge.judgement import Judgement
from gatemark.judge.shape.diagnose import diagnose
from gatemark.tell.fact import say
from golden import kept

check = partial(kept.check, folder="judgement")

JUDGED: dict[str, Callable[[], Judgement]] = {
    "sweeps": builder.judgement,
    "studies": lambda: studies.source().judgement,
    "ladders": stacked.judgement,
    "instructions": counted.judgement,
    "paths": traveled.judgement,
    "estimates": lambda: estimated.source().judgement,
    "queues": lambda: queued.source().judgement,
    "delays": lambda: timed.source().judgement,
    "capacity": lambda: packets.source().judgement,
}


FACT = ["code", "values"]
INTERVAL = ["value", "lo", "hi", "n", "level"]


def plain(part: Any) -> Any:
    """Without definitions, which are the records', and what is 0 or empty; to six digits."""
    if isinstance(part, dict) and list(part) == INTERVAL:
        part = list(part.values())
    if isinstance(part, float):
        return float(f"{part:.6g}")
    if isinstance(part, (list, tuple)):
        return [plain(each) for each in part]
    if isinstance(part, dict) and list(part) == FACT:
        return say.words(msgspec.convert(part, Fact))
    if isinstance(part, dict):
        part = dict(_told(part))
        return {name: plain(each) for name, each in part.items() if name != "definition" and each}
    return part


def _told(part: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, level in part.items():
        if name == "fact":
            fact = msgspec.convert(level, Fact)
            yield from (("words", say.words(fact)), ("clause", say.clause(fact)))
        else:
            yield name, level


def lines(judged: Any) -> Iterator[str]:
    """Each of what is judged on a line of its own, below the name of its kind."""
    for name, part in msgspec.to_builtins(judged, str_keys=True, order="deterministic").items():
        if part := plain(part):
            yield f"{name}:"
            items = part if isinstance(part, list) else [part]
            yield from (json.dumps(item, ensure_ascii=False) for item in items)


@pytest.mark.parametrize("name", JUDGED)
def test_what_is_judged(request: pytest.FixtureRequest, name: str) -> None:
    check(request, f"{name}.txt", "\n".join(lines(JUDGED[name]())) + "\n")


def test_what_is_warned_of(request: pytest.FixtureRequest) -> None:
    """Each warning once; of those with several reasons each of them."""
    built = map(msgspec.to_builtins, warned.every())
    told = [json.dumps(plain(each), ensure_ascii=False) for each in built]
    check(request, "warnings.txt", "\n".join(told) + "\n")


def diagnosed(name: str) -> str:
    """What is said of a planted fault, below its name; to simulate it takes a second."""
    (sweep,) = diagnose(swept(PLANTED[name][0]), ())
    findings = map(plain, map(msgspec.to_builtins, sweep.diagnosis.findings))
    lines = [json.dumps(finding, ensure_ascii=False) for finding in findings]
    return "\n".join([f"# {name}", *lines, ""])


@pytest.mark.long
def test_what_is_said_of_planted_faults(request: pytest.FixtureRequest) -> None:
    check(request, "shapes.txt", "".join(map(diagnosed, PLANTED)))


@pytest.mark.parametrize("name", ["policer", "share, stalls", "flows"])
def test_what_is_said_of_a_planted_fault(name: str) -> None:
    assert diagnosed(name) in (kept.HERE / "judgement" / "shapes.txt").read_text("utf-8")
