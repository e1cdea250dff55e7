# SPDX-License-Identifier: Apache-2.0
"""The two sides of an A/B test, in the words of the command line: what they are, and where."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gatemark.commands.option.asked import COUNTING_STATION, DEFAULT_STATION, Asked
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.plan.model import Arm, Plan
    from gatemark.station.station import Station
    from gatemark.store.run import Run, StationInfo

SIGNIFICANCE: Final = 0.05
ENOUGH: Final = 6  # boots of each: the least p is .031
DEFAULT_PLAN: Final = "cost/ab"
DEFAULT_ALLOW: Final = "1%"
ARM: Final = "{arm}"  # in the command of --switch
ACROSS: Final = (
    "old and new are counted in boots of their own: across boots of one gateway modes moved by up "
    "to 1 %, so a smaller difference may be of the boot"
)
ALIKE: Final = "OLD and NEW are alike (A/A): whatever is told of them is chance"


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides to compare."""

    old: str
    new: str
    station: str | None
    setup: str
    switch: str
    boots: int | None
    allow: str
    exact: bool = False  # in instructions

    @property
    def files(self) -> tuple[str, str]:
        """The station of each. Raises UsageError for words that do not go together."""
        named = [_is_station(word) for word in (self.old, self.new)]
        if any(named) and not all(named):
            which, other = ("OLD", "NEW") if named[0] else ("NEW", "OLD")
            raise UsageError(f"{which} is a station and {other} a setup: name two of a kind")
        if all(named) and self.station:
            raise UsageError("OLD and NEW are stations themselves: leave out --station")
        if self.setup and not all(named):
            raise UsageError("--setup is what two stations are set to; OLD and NEW are setups")
        if self.switch and ARM not in self.switch:
            raise UsageError(f"--switch '{self.switch}': say where the arm's name goes: {ARM}")
        here = self.station or (COUNTING_STATION if self.exact else DEFAULT_STATION)
        return (self.old, self.new) if all(named) else (here, here)

    @property
    def notes(self) -> Iterator[str]:
        """Yield the notes of the test."""
        if self.old == self.new and not self.switch:
            yield ALIKE
        if self.exact and self._boots():
            yield ACROSS
        if not self.exact and (least := self._least_p()) > SIGNIFICANCE:
            yield (
                f"{self.boots} boots of each can never tell a difference: the least p of so many "
                f"pairs is {least:.2g}. Take {ENOUGH} (--boots {ENOUGH}), or arms in turns in one "
                "boot: a plan with two arms, by `gatemark run`"
            )

    def plan(self, asked: Asked, bench: "Station") -> "Plan":
        """Return the plan to measure; `bench` is the station of OLD. Raises UsageError."""
        from gatemark.plan.ab import versus
        from gatemark.plan.expand import MOST_BOOTS

        if self.boots is not None and not 1 <= self.boots <= MOST_BOOTS:
            raise UsageError(f"--boots {self.boots}: 1 to {MOST_BOOTS}; six give a 95 % interval")
        self._ratio()  # a word that is none is refused before any gateway is asked for
        plans = asked.chosen()[1]
        if len(plans) > 1:
            names = ", ".join(plan.name for plan in plans)
            raise UsageError(f"--plan {asked.name}: name one of its plans: {names}")
        if self.exact:
            from gatemark.plan.exact import between

            return between(plans[0], *self._arms(plans[0]), self._boots())
        turns = not self._apart() and bench.another() is not None
        return versus(plans[0], *self._arms(plans[0]), self.boots or 0, turns=turns)

    def put(self, run: "Run", name: str, infos: Sequence["StationInfo"]) -> "Run":
        """The run as one of these two sides; `infos` are those of their stations."""
        from msgspec.structs import replace

        from gatemark.store.run import AB, Side

        files = self.files
        old, new = (
            Side(name=name, station_file=file, station=info)
            for name, file, info in zip((self.old, self.new), files, infos, strict=True)
        )
        return replace(
            run,
            run=name,
            title=f"{self.new} against {self.old}",
            station_file=files[0],
            ab=AB(old=old, new=new, switch=self.switch, allow=self._ratio()),
        )

    def command(self, asked: Asked, seed: int) -> tuple[str, ...]:
        """The command that repeats it."""
        words = ["gatemark", "ab", *(["--exact"] if self.exact else []), self.old, self.new]
        options = {"station": self.station, "setup": self.setup, "switch": self.switch}
        options |= {"boots": str(self.boots or "")}
        options |= {"allow": self.allow if self.allow != DEFAULT_ALLOW else ""}
        options |= {"plan": asked.name if asked.name != DEFAULT_PLAN else ""}
        options |= {"variant": asked.variant}
        words += [word for name, text in options.items() if text for word in (f"--{name}", text)]
        words += [word for setting in asked.settings for word in ("--set", setting)]
        return (*words, "--seed", str(seed))

    def _least_p(self) -> float:
        """The least that the signed rank test of the boots' pairs can come to."""
        from gatemark.judge.math.signed import p_value

        return p_value(range(1, 1 + (self.boots or ENOUGH)))

    def _boots(self) -> int:
        """Boots of each arm, in instructions; 0: both in turn in one boot.

        Two gateways, and what a command switches, cannot share one.
        """
        asked = self.boots or 1
        return asked if self._apart() or asked > 1 else 0

    def _apart(self) -> bool:
        """Return True if OLD and NEW cannot share one boot."""
        return bool(self.switch) or self.files[0] != self.files[1]

    def _arms(self, plan: "Plan") -> tuple["Arm", "Arm"]:
        from gatemark.plan.ab import own, setup

        if _is_station(self.old):
            both = setup(self.setup) if self.setup else own(plan)
            return both, both
        return setup(self.old), setup(self.new)

    def _ratio(self) -> float:
        from gatemark.fleet.file import share

        try:
            return share(self.allow)
        except ValueError as error:
            raise UsageError(f"--allow {self.allow}: {error}") from None


def _is_station(word: str) -> bool:
    from gatemark.station.load import stations

    return word.endswith(".toml") or word in stations()
