# SPDX-License-Identifier: Apache-2.0
"""Advice that can be followed: what a warning names is a key of a plan, or a command with options.

Names stand between backticks. A setting must change a plan that asks for something already.
"""

import re
import shlex
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
import warned
from typer.main import get_command

from gatemark.commands.app import app
from gatemark.commands.option.setting import _parse
from gatemark.error import UsageError
from gatemark.judge.judgement import Warning_
from gatemark.judge.point.warn import Code
from gatemark.judge.remedy import fitted
from gatemark.plan.expand import SETTABLE, override
from gatemark.plan.load import load
from gatemark.plan.model import PLAN_SCHEMA, Arm, Plan, Repeat
from gatemark.tell.fact import say

PLAN = Plan(
    schema=PLAN_SCHEMA,
    title="t",
    why="w",
    reading="r",
    name="s/p",
    arm=(Arm(path="route", name="route"),),
    sweep={"frame_bytes": (64, 1518)},
)
TYPED = {"echo", "sysctl"}  # on the gateway, as the line stands
KEYS = {f"{table}.{key}" for table, keys in SETTABLE.items() for key in keys.__struct_fields__}


def faults(advice: str, repeat: Repeat) -> Iterator[str]:
    """What of an advice does not exist, or is so already in a plan with these repeats."""
    names = re.findall(r"`([^`]+)`", advice)
    if not names:
        yield f"names nothing: {advice}"
    for name in names:
        words = shlex.split(name)
        if words[0] == "gatemark":
            yield from _unknown(words[1:])
        elif words[0] == "--set":
            yield from _useless(words[1], msgspec.structs.replace(PLAN, repeat=repeat))
        elif words[0] not in TYPED and not _is_known(name):
            yield f"no key `{name}`"


def _is_known(name: str) -> bool:
    """Whether it is a key of a plan, or one of the gateway's kernel (sysctl(8))."""
    is_key = name in KEYS or name.split(maxsplit=1)[0] in Arm.__struct_fields__
    return is_key or name.startswith(("net.netfilter.", "nf_conntrack_"))


def _unknown(words: list[str]) -> Iterator[str]:
    command: Any = get_command(app)
    while words and (verb := getattr(command, "commands", {}).get(words[0])):
        command, words = verb, words[1:]
    if hasattr(command, "commands"):
        yield f"no command `gatemark {' '.join(words)}`"
    options = {name for param in command.params for name in param.opts}
    yield from (f"no option {word}" for word in words if word[:1] == "-" and word not in options)
    plans = [word for word in words if "/" in word]
    yield from (f"no plan {word}" for word in plans if not load(word)[1])


def _useless(setting: str, plan: Plan) -> Iterator[str]:
    key, value = _parse(setting)
    try:
        if override(plan, {key: value}) == plan:
            yield f"--set {setting}: it is so already"
    except UsageError as error:
        yield str(error)


def told(warning: Warning_) -> str:
    return say.words(warning.advice)


@pytest.mark.parametrize("code", get_args(Code))
def test_advice_names_what_exists_and_is_not_done_already(code: str) -> None:
    warnings = [each for each in warned.every() if each.code == code]
    assert warnings, f"tests/warned.py has no case for {code}"
    # Where boots are samples there is no instrumented pass, and no such warning.
    repeats = [r for r in warned.REPEATS if not (r.boots and code == "no-instrumented-pass")]
    assert [
        f"{fault} ({repeat})"
        for each in warnings
        for repeat in repeats
        for fault in faults(told(fitted(each, repeat, "gatemark run --resume RUN")), repeat)
    ] == []


def test_the_rules_own_advice_can_be_followed_too() -> None:
    """Knees are warned of by rules that know no plan."""
    plain = Repeat(times=2)
    assert [fault for each in warned.every() for fault in faults(told(each), plain)] == []


@pytest.mark.parametrize(
    ("advice", "fault"),
    [
        ("Interleave the setups.", "names nothing: Interleave the setups."),
        ("See `gatemark shwo RUN`.", "no command `gatemark shwo RUN`"),
        ("See `gatemark show RUN --al`.", "no option --al"),
        ("Set `repeat.pause`.", "no key `repeat.pause`"),
        ("Use `--set repeat.times=6`.", "--set repeat.times=6: it is so already"),
    ],
)
def test_planted_advice_that_cannot_be_followed_is_found(advice: str, fault: str) -> None:
    assert [*faults(advice, Repeat())] == [fault]


def few(repeat: Repeat, resume: str = "") -> str:
    return told(fitted(Warning_("few-repeats", ""), repeat, resume))


def test_what_is_missing_is_measured_before_more_is_asked_for() -> None:
    assert few(Repeat(times=6), "gatemark run --resume r") == (
        "Go on with the run: `gatemark run --resume r`."
    )
    assert "repeat.times=12" in few(Repeat(times=6))


def test_boots_are_asked_for_where_a_boot_is_a_sample() -> None:
    assert "repeat.boots=6" in few(Repeat(times=6, boots=2))
