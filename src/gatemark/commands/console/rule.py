# SPDX-License-Identifier: Apache-2.0
"""Options that exclude or need others, by verb: one that would be ignored is refused.

What depends on the files that a verb reads is the verb's own to refuse.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gatemark.error import UsageError


@dataclass(frozen=True, slots=True)
class Rule:
    """An option, and what the command line must or may not have with it."""

    option: str
    why: str  # what follows the option's name in the message
    without: tuple[str, ...] = ()  # options that mean nothing with it
    beside: tuple[str, ...] | None = None  # all that it may stand with; None: all but `without`
    needs: str = ""  # the option without which it means nothing


RESUMED: Final = ("--trust", "--json")  # what a run that goes on may be told
TRUST: Final = Rule("--trust", "is for another's run that you go on with", needs="--resume")
RULES: Final[Mapping[str, tuple[Rule, ...]]] = {
    "run": (
        TRUST,
        Rule("--resume", "goes on with a run as it was planned", beside=RESUMED),
    ),
    "ab": (
        TRUST,
        Rule("--resume", "goes on with a test as it was planned", beside=(*RESUMED, "--junit")),
    ),
    "show": (
        Rule("--header", "is the head of a --row", needs="--row"),
        Rule(
            "--row",
            "is Markdown alone",
            without=("--json", "--reference", "--all", "--line", "--subsystems"),
        ),
        Rule(
            "--reference",
            "is of published values alone",
            without=("--all", "--line", "--subsystems"),
        ),
    ),
    "export": (
        Rule("--schema", "is of every run alike", beside=("--out",)),
        Rule("--reference", "is a format of its own", without=("--format", "--raw", "--wide")),
        Rule("--raw", "has a row for each trial", without=("--wide",)),
    ),
    "coverage": (Rule("--json", "is for stdout", without=("--out",)),),
    "classifier attach": (Rule("--queue", "is what holds up to --shape", needs="--shape"),),
}


def check(verb: str, given: Collection[str]) -> None:
    """Raise UsageError where the command line of a verb has what it would ignore."""
    for rule in RULES.get(verb, ()):
        if rule.option in given:
            _check(rule, given)


def given(ctx: Any) -> list[str]:
    """The options and arguments that a command line has, as its user types them."""
    return [
        param.opts[0] if param.param_type_name == "option" else str(param.metavar or param.name)
        for param in ctx.command.get_params(ctx)
        if _is_given(ctx, param)
    ]


def _check(rule: Rule, given: Collection[str]) -> None:
    allowed = given if rule.beside is None else (rule.option, *rule.beside)
    strays = [word for word in given if word in rule.without or word not in allowed]
    if rule.needs and rule.needs not in given:
        raise UsageError(f"{rule.option} {rule.why}: add {rule.needs}")
    if strays:
        raise UsageError(f"{rule.option} {rule.why}: leave out {' and '.join(strays)}")


def _is_given(ctx: Any, param: Any) -> bool:
    """Return whether the command line has it; one that takes any number is there with none, too."""
    source = ctx.get_parameter_source(param.name)
    return getattr(source, "name", "") == "COMMANDLINE" and ctx.params.get(param.name) != ()
