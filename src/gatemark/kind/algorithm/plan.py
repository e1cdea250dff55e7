# SPDX-License-Identifier: Apache-2.0
"""A kernel in a plan: its command and words, and how long it takes.

Nothing is sent: a command of gm-algorithms runs on the gateway (docs/algorithms.md). `command`:
`lpm`, `filter`, `match`, `gateway`, `platform`, `coremark`; `[workload.words]`: what it is asked,
word by word, of which a factor is `words.KEY`; `instances` (1) at the same time; `level` (`O3`;
`O0` to `O3`). On the path `endpoint`.
"""

from collections.abc import Iterator
from typing import Final

from gatemark.kind.rules import Rules
from gatemark.plan import words
from gatemark.plan.feature import ENDPOINT
from gatemark.plan.model import Arm, Workload

KERNEL: Final = "kernel rate"  # what a definition is about
MOST_INSTANCES: Final = 64  # of a kernel (algorithms/src/program/instances.c)
# A kernel's repeats and the time of each (algorithms/src/program/timing.c), and its building.
PASSES: Final = {"repeats": 5.0, "pass_ms": 500.0}
BUILT_S: Final = 1.0
COREMARK_S: Final = 30.0  # two runs, each of 10 s at least after looking for how many rounds


def faults(load: Workload) -> Iterator[str]:
    """Each key that is out of its bounds, with its fix."""
    if not 1 <= load.instances <= MOST_INSTANCES:
        yield f"`instances` = {load.instances}: 1 to {MOST_INSTANCES}"
    if load.instances > 1 and load.command == words.COREMARK:
        yield f"`instances` = {load.instances}: CoreMark is run once at a time; leave it out"
    yield from words.faults(load.words)


def misfit(arm: Arm, load: Workload) -> str:
    """Return why it does not fit an arm; "" if it does."""
    del load
    if arm.path == ENDPOINT:
        return ""
    return "`kind` = algorithm: it is of the gateway itself; write path endpoint"


def lasts_s(load: Workload) -> float:
    """The time of its repeats in one or two phases; building its structure."""
    if load.command == words.COREMARK:
        return COREMARK_S
    repeats, pass_ms = (float(load.words.get(name, preset)) for name, preset in PASSES.items())
    return BUILT_S + 2 * (repeats + 1) * pass_ms / 1000


KIND: Final = Rules(
    keys="command words instances level",
    yields=("ops_s", "evidence.kernels"),
    headlines={KERNEL: "ops_s"},
    only={
        "driver": ("gatemark", "nothing is sent; leave it out"),
    },
    faults=faults,
    misfit=misfit,
    lasts_s=lasts_s,
    alone="what is sent besides would take its processor",
    silent=True,
)
