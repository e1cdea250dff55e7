# SPDX-License-Identifier: Apache-2.0
"""A run to go on with may be another's: what it executes is asked for, what it plans is checked."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typer

from gatemark.commands.console import output
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.store.begun import Begun
    from gatemark.store.run import Run

TRUST_HELP: Final = "With --resume: execute what another's run says."


def require_run(path: Path, run: "Run", *, trust: bool) -> None:
    """Raise UsageError unless this user began the run, or agrees to what it executes."""
    from gatemark.store import begun

    own = begun.of(run)
    require(path, own, trust=trust)
    check(path, run)
    own.mark()


def require(path: Path, own: "Begun", *, trust: bool) -> None:
    """Raise UsageError unless this user began it, or agrees to what it executes."""
    if not trust and not own.is_own() and not _agreed(path, own.lines):
        raise UsageError(
            f"{path}: not begun here by this user, and going on with it executes what it says "
            f"({'; '.join(own.lines)}): add --trust if you want that"
        )


def _agreed(path: Path, lines: tuple[str, ...]) -> bool:
    """The answer of a terminal; without one nobody agrees."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr and sys.stderr.isatty()):
        return False
    output.say(f"{path}: not begun here by you. Going on with it executes what it says:", err=True)
    for line in lines:
        output.say(f"  {line}", err=True)
    return typer.confirm("Execute this?", default=False, err=True)


def check(path: Path, run: "Run") -> None:
    """Raise UsageError where its plans or trials are none that we would have written."""
    from gatemark.plan.expand import arm_at, arms, check

    try:
        for plan in run.plans:
            check(plan)
    except UsageError as error:
        raise UsageError(f"{path / 'run.json'}: {plan.name}: {error}") from None
    plans = {plan.name: plan for plan in run.plans}
    for spec in run.trials:
        own = plans.get(spec.plan)
        if not own or spec.arm not in (arm_at(own, arm, spec.point) for arm in arms(own)):
            raise UsageError(
                f"{path / 'run.json'}: trial {spec.trial} is of no arm of its plan: measure anew"
            )
