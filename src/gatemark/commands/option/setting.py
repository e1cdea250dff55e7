# SPDX-License-Identifier: Apache-2.0
"""`--set key=value`: change a plan's numbers from the command line."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gatemark.commands.option.line import lined, refuse_rates
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.plan.model import Plan, Suite

SET_HELP = "Change a key of a plan: repeat.times=2, 'sweep.rate_pps=[1000,2000]'; repeatable."


VARIANT_HELP = "A variant of the plans, as `gatemark list` names it: short."


def chosen(
    name: str, variant: str, settings: Sequence[str], *, exactly: bool = False, line: str = ""
) -> "tuple[Suite, list[Plan]]":
    """The suite or plan by name, with variant and settings put in where they apply.

    `exactly`: the plans in instructions, which is before anything is set in them, and so is `line`.
    """
    from gatemark.plan.exact import exact
    from gatemark.plan.expand import applies, override
    from gatemark.plan.load import load

    suite, plans = load(name, variant)
    plans = [exact(plan) for plan in plans] if exactly else plans
    values = {key: _located(key, value) for key, value in map(_parse, settings)}
    if line:
        refuse_rates(values)
        plans = [lined(plan, line) for plan in plans]
    for key in values:
        if not sum(applies(plan, key) for plan in plans):
            raise UsageError(
                f"--set {key}: no plan of '{name}' has it; `gatemark plan {name}` shows them"
            )
    return suite, [
        override(plan, {key: value for key, value in values.items() if applies(plan, key)})
        for plan in plans
    ]


def _located(key: str, value: Any) -> Any:
    """A capture's file as seen from here: the run may be resumed from elsewhere. Devices, whole."""
    from gatemark.plan import device
    from gatemark.plan.load import is_file, located_at

    if key == f"gateway.{device.KEY}":
        return device.described([value] if isinstance(value, str) else value, Path.cwd())
    name = key.partition(".")[2]
    return located_at(name, value, Path.cwd()) if is_file(name) else value


def _parse(setting: str) -> tuple[str, Any]:
    key, equals, text = setting.partition("=")
    if not equals:
        raise UsageError(f"--set {setting}: write key=value, as in --set repeat.times=2")
    try:
        return key.strip(), tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return key.strip(), text.strip()
