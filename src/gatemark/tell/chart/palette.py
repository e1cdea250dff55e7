# SPDX-License-Identifier: Apache-2.0
"""Which colour each setup has on a page: the same in every figure and on every card.

A setup's arms share its colour from plan to plan. Where one plan has two arms of one setup (old and
new, a twin), the first has the setup's colour and each other one its own. The tester alone is grey.
Of several runs each has its own: their like arms share panels, where often the colour alone
distinguishes them. Beyond the last colour they begin anew, with other dashes and markers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gatemark.judge.judgement import Judgement
from gatemark.judge.subject import About
from gatemark.tell.chart import theme

COLORS: Final = 6  # --arm1 to --arm6
GREY: Final = "var(--soft)"
_CHANNELS: Final = ("color", "fill", "stroke", "strokeDash", "shape")
_STYLES: Final[Mapping[str, list[Any]]] = {"strokeDash": theme.DASHES, "shape": theme.SHAPES}
Arm = tuple[str, str]  # plan, name


@dataclass(frozen=True, slots=True)
class Palette:
    """A place for each arm of a run; the places count from 0 in the order of the plans."""

    places: Mapping[Arm, int]
    grey: frozenset[Arm]

    def color(self, plan: str, label: str) -> str:
        """The CSS colour of an arm, or of a line named for it; grey for what is not known."""
        arm = self.arm(plan, label)
        return _color(self.places[arm]) if arm and arm in self.places else GREY

    def arm(self, plan: str, label: str) -> Arm | None:
        """The arm that a label names: `nat`, or `nat, 4 streams`; None: no arm of the run.

        An arm of the plan goes before one of another plan, since a figure may show several plans.
        """
        arms = (*self.places, *self.grey)
        fits = [arm for arm in arms if label == arm[1] or label.startswith(f"{arm[1]}, ")]
        return max(fits, key=lambda arm: (arm[0] == plan, len(arm[1])), default=None)

    def paint(self, spec: Any, plan: str) -> None:
        """Give each arm of a Vega-Lite specification its colour, dash and marker, in place."""
        if isinstance(spec, list):
            for part in spec:
                self.paint(part, plan)
        elif isinstance(spec, dict):
            for name, part in spec.items():
                if name in _CHANNELS and isinstance(part, dict) and part.get("field") == "arm":
                    self._paint(name, part, plan)
                else:
                    self.paint(part, plan)

    def _paint(self, channel: str, encoding: dict[str, Any], plan: str) -> None:
        """A scale over anything but arms keeps the page's colours for kinds."""
        scale = encoding.get("scale") or {}
        labels = scale.get("domain", ())
        arms = [arm for label in labels if (arm := self.arm(plan, label))]
        if not arms or len(arms) < len(labels):
            return
        turns = [arms[:at].count(arm) for at, arm in enumerate(arms)]
        looks = [
            _look(channel, self.places[arm], turn) if arm in self.places else _alone(channel)
            for arm, turn in zip(arms, turns, strict=True)
        ]
        encoding["scale"] = scale | {"range": looks}


def _look(channel: str, place: int, turn: int) -> Any:
    """What tells an arm from others; further lines of one arm, by turn, have another dash.

    The second round of colours has other dashes and markers than the first.
    """
    if channel not in _STYLES:
        return _color(place)
    return _STYLES[channel][(place + place // COLORS + turn) % len(_STYLES[channel])]


def _alone(channel: str) -> Any:
    """The tester alone."""
    return _STYLES[channel][0] if channel in _STYLES else GREY


def _color(place: int) -> str:
    return f"var(--arm{place % COLORS + 1})"


def palette(judgement: Judgement) -> Palette:
    """Colours in the order in which setups are first measured."""
    arms: dict[Arm, About] = {}
    for about in _abouts(judgement):
        arms.setdefault((about.plan, about.arm), about)
    grey = frozenset(arm for arm, about in arms.items() if about.definition.path == "direct")
    named = {arm: about for arm, about in arms.items() if arm not in grey}
    firsts: dict[Arm, str] = {}  # plan, setup -> its first arm
    places: dict[Arm, int] = {}
    order: dict[tuple[str, ...], int] = {}
    for (plan, name), about in named.items():
        is_first = firsts.setdefault((plan, about.setup), name) == name
        key = (about.setup,) if is_first else (about.setup, name)
        places[plan, name] = order.setdefault(key, len(order))
    return Palette(places, grey)


def _abouts(judgement: Judgement) -> list[About]:
    steps = [step for ladder in judgement.ladders for step in ladder.steps]
    options = [option for front in judgement.fronts for option in front.options]
    return [
        *judgement.knees,
        *judgement.points,
        *judgement.ceilings,
        *judgement.floors,
        *judgement.ladders,
        *steps,
        *options,
        *judgement.executed,
        *judgement.travels,
        *judgement.estimates,
        *judgement.comparisons,
    ]
