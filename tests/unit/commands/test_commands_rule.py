# SPDX-License-Identifier: Apache-2.0
"""Options that exclude or need others: the rules name what their verbs have."""

from typing import Any

import pytest
from typer.main import get_command

from gatemark.commands.app import app
from gatemark.commands.console.rule import RULES, check
from gatemark.error import UsageError


def options(verb: str) -> set[str]:
    """Those of a verb, as they are typed."""
    command: Any = get_command(app)
    for word in verb.split():
        command = command.commands[word]
    return {name for param in command.params for name in param.opts}


def test_a_rule_names_options_that_its_verb_has() -> None:
    for verb, rules in RULES.items():
        words = {word for rule in rules for word in (rule.option, *rule.without)}
        needed = {rule.needs for rule in rules if rule.needs}
        beside = {word for rule in rules for word in rule.beside or ()}
        assert words | needed | beside <= options(verb), verb


def test_what_goes_together_is_taken() -> None:
    for verb, given in (
        ("run", ["--resume", "--trust", "--json"]),
        ("run", ["SUITE|PLAN", "--seed"]),
        ("show", ["--row", "--header"]),
        ("show", ["RUN", "--reference", "--json"]),
        ("classifier attach", ["WHERE", "--queue", "--shape"]),
        ("list", ["--json"]),
    ):
        check(verb, given)


@pytest.mark.parametrize(
    ("verb", "given", "reason"),
    [
        ("run", ["SUITE|PLAN", "--resume", "--seed"], "planned: leave out SUITE|PLAN and --seed"),
        ("show", ["--header"], "--header is the head of a --row: add --row"),
        ("show", ["--row", "--all"], "--row is Markdown alone: leave out --all"),
    ],
)
def test_what_would_be_ignored_is_named(verb: str, given: list[str], reason: str) -> None:
    with pytest.raises(UsageError) as error:
        check(verb, given)
    assert str(error.value).endswith(reason)
