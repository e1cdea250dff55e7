# SPDX-License-Identifier: Apache-2.0
"""The plan of a search for the best setting: every combination of what may be set, as an arm."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import product
from typing import Final

from msgspec.structs import replace

from gatemark.error import UsageError
from gatemark.plan.expand import check
from gatemark.plan.feature import DIRECT
from gatemark.plan.misfit import check_features
from gatemark.plan.model import JOIN, Arm, Plan, Probe, Repeat

AS_IT_IS: Final = "as it is"
SHAPE_PPS: Final = 2_000
MOST: Final = 1000  # combinations
Axis = tuple[str, ...]  # settings of which one is taken, or none

# What may be set on a gateway, by the kind of its station. The built-in lab steers its threads
# itself, and its kernel has no flow tables.
LAB: Final[tuple[Axis, ...]] = (
    ("gro:list",),
    ("defer:20", "defer:100"),
    ("queue:pfifo", "queue:pfifo_fast"),
)
STEERED: Final[Axis] = ("steering:threaded", "steering:rps", "steering:all", "irq:spread")
OTHERS: Final[tuple[Axis, ...]] = (
    ("offload:software", "offload:hardware"),
    ("gro:list", "gro:udp"),
    ("defer:50",),
    ("queue:fq_codel",),
)
BY_KIND: Final = {
    "netns": LAB,
    "qemu": (("steering:threaded",), ("offload:software",), *OTHERS[1:]),
}


def axes_for(kind: str, cpus: int) -> tuple[Axis, ...]:
    """The axes that are searched on a station of a kind, with so many CPUs (0: not known)."""
    if kind in BY_KIND and cpus < 2:
        return BY_KIND[kind]
    virtual = kind in BY_KIND
    return (STEERED, OTHERS[0][:1] if virtual else OTHERS[0], *OTHERS[1:])


def axes(words: Iterable[str]) -> tuple[Axis, ...]:
    """The axes of the command line: settings between commas. Raises UsageError."""
    read = []
    for word in words:
        levels = tuple(level.strip() for level in word.split(","))
        if not all(levels):
            raise UsageError(f"--axis '{word}': settings between commas, as gro:list,gro:udp")
        read.append(levels)
    return tuple(read)


def searched(plan: Plan, base: Arm, chosen: Sequence[Axis], *, by_shape: bool = False) -> Plan:
    """The plan with an arm for each combination, each once. Raises UsageError.

    `by_shape`: instructions are counted, at its paced rates alone.
    """
    arms = tuple(_arms(base, chosen))
    if len(arms) < 2:
        raise UsageError(f"no setting fits {base.setup}: name some, as --axis gro:list,gro:udp")
    if len(arms) > MOST:
        raise UsageError(f"{len(arms)} combinations: at most {MOST}; name fewer by --axis")
    alone = tuple(arm for arm in plan.arm if arm.path == DIRECT and not by_shape)
    made = replace(
        plan,
        title=f"The best setting of {base.setup}, of {len(arms)} combinations",
        arm=(*alone, *arms),
        repeat=Repeat(times=1),
        probe=Probe(use=("instructions", "interrupts")) if by_shape else Probe(),
        expect=(),
        rows=(),
        lacks={},
        compare=False,
        variants=(),
        variant="",
    )
    if by_shape:
        paced = tuple(rate for rate in plan.sweep.get("rate_pps", ()) if rate)
        made = replace(made, sweep=plan.sweep | {"rate_pps": paced or (SHAPE_PPS,)})
    elif not {0} & {*plan.sweep.get("rate_pps", ())}:
        raise UsageError(f"--plan {plan.name}: a search needs rate_pps = [0, ...]: see cost/tune")
    check(made)
    return made


def _arms(base: Arm, chosen: Sequence[Axis]) -> Iterator[Arm]:
    """Yield the gateway as it is, then every combination whose settings go together."""
    for levels in product(*(("", *axis) for axis in chosen)):
        settings = [level for level in levels if level]
        arm = replace(base, name=JOIN.join(settings) or AS_IT_IS, at={})
        arm = replace(arm, features=(*base.features, *settings))
        if len(settings) > 1:
            with suppress(UsageError):  # alone each of them fits
                check_features(arm)
                yield arm
        else:
            check_features(arm)
            yield arm
