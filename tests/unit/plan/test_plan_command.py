# SPDX-License-Identifier: Apache-2.0
"""A user's own command in a plan: run where a feature names it, refused with its line."""

from pathlib import Path

import pytest

from gatemark.error import UsageError
from gatemark.plan.load import read_plan
from gatemark.plan.model import Command, Plan
from gatemark.plan.order import order

HEAD = """schema = "gatemark.plan/1"
title = "t"
why = "w"
reading = "r"

[setup]
path = "nat"
features = ["command:probe"]
"""


def read(tmp_path: Path, text: str) -> Plan:
    path = tmp_path / "p.toml"
    path.write_text(HEAD + text)
    return read_plan(path, "p")


def test_a_trial_carries_the_commands_that_its_arm_names(tmp_path: Path) -> None:
    plan = read(tmp_path, '[command.probe]\nrun = "probe"\n[command.other]\nrun = "other"\n')
    assert {tuple(spec.commands.items()) for spec in order([plan], 1)} == {
        (("probe", Command(run="probe")),)
    }


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 8, r"no \[command.probe\] in this plan; write one with run"),
        ('[command.prob]\nrun = "x"\n', 8, "did you mean 'prob'"),
        ("[command.probe]\n", 9, r"\[command.probe\] needs `run`"),
        ('[command.probe]\nready = "x"\nrun = " "\n', 11, r"\[command.probe\] needs `run`"),
        ('[command.probe]\nrun = "x"\nreadi = "y"\n', 11, "unknown key 'readi'.*'ready'"),
        ('[command.probe]\nrun = "x"\ncounters = "("\n', 11, "no regular expression"),
        ('[command.probe]\nrun = "x"\ncounters = "x"\n', 11, "names none"),
        ('[command.Probe]\nrun = "x"\n', 9, "small letters"),
        ('[command.probe]\nrun = "at two\\nx\\nover"\n', 10, "`over` and none `at 2`"),
        ('[command]\nprobe = "x"\n', 9, "a command is a table"),
    ],
)
def test_what_cannot_be_run_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    with pytest.raises(UsageError, match=f"p.toml:{line}: .*{said}"):
        read(tmp_path, text)


def test_an_action_after_the_traffic_is_refused(tmp_path: Path) -> None:
    text = '[command.probe]\nrun = "at 6\\nx\\nover"\n[workload]\nkind = "outage"\nduration_s = 7\n'
    with pytest.raises(UsageError, match=r"p.toml:13: `duration_s` = 7: .*at 6.*write 8 or more"):
        read(tmp_path, text)
    assert read(tmp_path, text.replace("= 7", "= 8"))
