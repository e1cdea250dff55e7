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
from golden import kept
from simulated import PLANTED, swept

from gatemark.stats.judgement import Judgement
from gatemark.stats.shape.diagnose import diagnose

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


INTERVAL = ["value", "lo", "hi", "n", "level"]


def plain(part: Any) -> Any:
    """Without definitions, which are the records', numbers to six digits, an interval as a list."""
    if isinstance(part, dict) and list(part) == INTERVAL:
        return plain(list(part.values()))
    if isinstance(part, float):
        return float(f"{part:.6g}")
    if isinstance(part, (list, tuple)):
        return [plain(each) for each in part]
    if isinstance(part, dict):
        return {name: plain(each) for name, each in part.items() if name != "definition" and each}
    return part


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


def test_what_is_said_of_planted_faults(request: pytest.FixtureRequest) -> None:
    told: list[str] = []
    for name, (planted, _) in PLANTED.items():
        told.append(f"# {name}")
        (found,) = diagnose(swept(planted), ())
        findings = map(plain, map(msgspec.to_builtins, found.diagnosis.findings))
        told.extend(json.dumps(finding, ensure_ascii=False) for finding in findings)
    check(request, "shapes.txt", "\n".join(told) + "\n")
