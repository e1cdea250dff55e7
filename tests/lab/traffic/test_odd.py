# SPDX-License-Identifier: Apache-2.0
"""A host that answers with nonsense once: one trial is invalid and says why, others are good."""

from pathlib import Path

import pytest

from gatemark.node.binary import agent_path
from gatemark.plan.model import Workload
from lab.planted import bare, measure, plan

pytestmark = pytest.mark.long
LOAD = Workload(rate_pps=2_000, flows=8, duration_s=0.4)
# The first agent of a verb is odd: what its lines go through, or what it says in their place.
WRAPPED = """#!/bin/sh
if [ "$1" = {verb} ] && mkdir {folder}/once 2> /dev/null; then
  {odd}
fi
exec {agent} "$@"
"""
NONSENSE = r"printf '\033]0;x\007\n'; exit"
CHANGED = "{agent} \"$@\" | sed -u '{change}'; exit"


def reasons(
    verb: str, odd: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str, str]]:
    """Status and reason of each of a plan's trials."""
    agent, wrapper = agent_path(), folder / "agent"
    script = odd.replace("{agent}", str(agent))
    wrapper.write_text(WRAPPED.format(verb=verb, folder=folder, odd=script, agent=agent))
    wrapper.chmod(0o700)
    monkeypatch.setattr("gatemark.node.shell.agent_path", lambda: wrapper)
    _, records = measure(bare(plan("route", LOAD, repeats=2)))
    return [(record.status, record.reason) for record in records]


@pytest.mark.parametrize(
    ("verb", "odd", "why"),
    [
        pytest.param(
            "watch",
            NONSENSE,
            "what gm-agent watch printed (JSON is malformed",
            id="none",
        ),
        pytest.param(
            "sink",
            CHANGED.replace("{change}", 's/"unique":[0-9]*/"unique":"many"/'),
            "WAN host: what gm-agent sink printed (Expected `int`, got `str` - at `$.unique`)",
            id="another type",
        ),
        pytest.param(
            "watch",
            CHANGED.replace("{change}", 's/"threads":{"/&9/'),
            "what the hosts reported does not fit together: KeyError: ",
            id="another thread",
        ),
    ],
)
def test_one_odd_answer_makes_one_invalid_trial(
    verb: str, odd: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = reasons(verb, odd, tmp_path, monkeypatch)
    invalid = [reason for status, reason in found if status != "ok"]
    assert len(found) > 1
    assert len(invalid) == 1, found
    assert why in invalid[0]
    assert invalid[0].isprintable()
