# SPDX-License-Identifier: Apache-2.0
"""The question of a run, and the part of it that the station can do."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gatemark.commands.option import wire
from gatemark.commands.option.line import line_rates, varied_rates
from gatemark.commands.option.setting import chosen

if TYPE_CHECKING:
    from gatemark.plan.model import Plan, Suite
    from gatemark.station.ability import Ability

DEFAULT_STATION, COUNTING_STATION = "lab", "qemu-mips"  # in the place of none
FULL_SPEED = "full-speed"  # the variant of a slowed plan for a station without a slowdown
RELEASED = "gateway.slow_to_pps=0"
NAMESPACE = "netns"  # the kind of gateway that the slowdown can slow


@dataclass(frozen=True, slots=True)
class Asked:
    """The thing to measure, in the words of the command line."""

    name: str
    station: str | None
    variant: str
    settings: tuple[str, ...]
    driver: str = ""  # who makes the traffic; "": as the plans have it
    ports: tuple[str, ...] = ()  # how it reaches the wire
    exact: bool = False  # in instructions
    line: str = ""  # the access line that it is asked to carry

    @property
    def station_file(self) -> str:
        """The name or file of the station: the lab counts no instructions."""
        return self.station or (COUNTING_STATION if self.exact else DEFAULT_STATION)

    @property
    def bps(self) -> tuple[float, float] | None:
        """The line's rates, down and up. Raises UsageError."""
        return line_rates(self.line) if self.line else None

    def command(self, seed: int) -> tuple[str, ...]:
        """The command that repeats it."""
        words = ["gatemark", "run", self.name]
        words += ["--station", self.station] if self.station else []
        words += ["--variant", self.variant] if self.variant else []
        words += ["--exact"] if self.exact else []
        words += ["--line", self.line] if self.line else []
        words += wire.words(self.driver, self.ports)
        words += [word for setting in self.settings for word in ("--set", setting)]
        return (*words, "--seed", str(seed))

    def chosen(self) -> tuple["Suite", list["Plan"]]:
        """The suite and its plans. Raises UsageError."""
        means = wire.settings(self.driver, self.ports, self.settings)
        settings = (*means, *self.settings)
        return chosen(self.name, self.variant, settings, exactly=self.exact, line=self.line)


def within(asked: Asked, able: "Ability", kind: str) -> tuple[Asked, tuple[str, ...]]:
    """Return what can be measured on a station of a kind without slowdown, and lines about that.

    Slowed plans are measured in their variant `full-speed`; one that has none, at full speed.
    """
    notes: list[str] = []
    why = "as it needs root" if kind == NAMESPACE else "as it is for gateways that are namespaces"
    plans = asked.chosen()[1]
    if not able.slowdown and not asked.variant and any(_slowed(p, FULL_SPEED) for p in plans):
        asked = replace(asked, variant=FULL_SPEED)
        notes.append(f"no slowdown here, {why}: the variant `{FULL_SPEED}` is measured")
        plans = asked.chosen()[1]
    if not able.slowdown and any(map(_slowed, plans)):
        asked = replace(asked, settings=(*asked.settings, RELEASED))
        notes.append(f"no slowdown here, {why}: measured with {RELEASED}")
    if asked.line and (names := [plan.name for plan in plans if varied_rates(plan)]):
        vary = "vary" if len(names) > 1 else "varies"
        notes.append(f"--line is not the line of {', '.join(names)}, which {vary} its rate")
    return asked, tuple(notes)


def _slowed(plan: "Plan", variant: str = "") -> bool:
    """Return whether a plan is slowed, and has that variant."""
    on_gateway = any(arm.path != "direct" for arm in plan.arm)
    return bool(plan.gateway.slow_to_pps) and on_gateway and variant in ("", *plan.variants)
