# SPDX-License-Identifier: Apache-2.0
"""A run in words: what became of its trials, what repeats it, where it differs from a standard."""

import re
import shlex
from pathlib import Path

from gatemark.judge.judgement import Judgement
from gatemark.store.run import Run

ABSOLUTE = re.compile(r"^((?:[^=/]*=)?)/(?:.*/)?([^/]+)/?$")  # a word that is, or sets, a path
EXACTLY = "-exact"  # behind the name of a plan that was asked in instructions (plan/exact.py)


def counts(judgement: Judgement) -> str:
    """What became of the trials: `288 trials, 2 invalid, 4 not run`."""
    parts = [f"{judgement.trials} trial{'' if judgement.trials == 1 else 's'}"]
    more = ((judgement.invalid, "invalid"), (judgement.skipped, "skipped"))
    parts += [f"{count} {word}" for count, word in (*more, (judgement.missing, "not run")) if count]
    return ", ".join(parts)


def deviations(run: Run) -> list[str]:
    """From the RFC or paper that a plan cites, in the order of the plans, each once."""
    return list(dict.fromkeys(f"{s.plan}: {text}" for s in run.trials for text in s.deviations))


def repeat_command(run: Run) -> str:
    """The command that repeats the run, quoted for a shell."""
    return shlex.join(run.command)


def portable(command: str) -> str:
    """A command for a page that is kept: a path of this machine is `DIR/` and its last part."""
    return shlex.join(ABSOLUTE.sub(r"\1DIR/\2", word) for word in shlex.split(command))


def resume_command(folder: Path | None) -> str:
    """The command that goes on with a run."""
    return shlex.join(("gatemark", "run", "--resume", str(folder or "RUN")))


def repeat_plan(run: Run, plan: str) -> str:
    """The command that repeats one plan of the run with the run's own settings."""
    planned = next((other for other in run.plans if other.name == plan), None)
    if planned is None or len(run.command) < 3:
        return ""
    gatemark, verb, asked, *words = run.command
    # A plan's own file has no other name; --exact makes another plan of it.
    own = asked if len(run.plans) == 1 else plan.removesuffix(EXACTLY if "--exact" in words else "")
    if "--variant" in words and words[words.index("--variant") + 1] not in planned.variants:
        at = words.index("--variant")  # of the suite's other plans
        del words[at : at + 2]
    return shlex.join((gatemark, verb, own, *words))
