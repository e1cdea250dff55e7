# SPDX-License-Identifier: Apache-2.0
"""The list of kinds, and what each has for a floor of the house.

A kind is a folder. Its modules stand on the floors beside those that read them, and whoever reads
a floor asks for that module of all kinds. So `gatemark show` imports nothing that sends, and the
terminal nothing that draws.

    plan     Rules         what a plan may ask for        read by plan, station, judge.coverage
    load                   what sends, and accounts       imported by the kind's own `result`
    result   Kind          what a trial yields            run
    point    Judge         what held a point back         judge
    answer   Answer        its rows                       tell
    figure   Figures       its charts                     tell
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Final, Literal, TypeVar, get_args

from gatemark.plan.model import Kind

T = TypeVar("T")
Layer = Literal["plan", "result", "point", "answer", "figure"]
RESTART: Final = "restart"  # no kind of a plan: UDP with `restart_s`
KINDS: Final[tuple[str, ...]] = (*get_args(Kind), RESTART)


def entries(layer: Layer, sort: type[T]) -> dict[str, T]:
    """Return the KIND of a layer's module, by kind; a kind without that module is left out."""
    made: dict[str, T] = {}
    for kind in KINDS:
        name = f"gatemark.kind.{kind}.{layer}"
        if find_spec(name):
            entry = import_module(name).KIND
            if not isinstance(entry, sort):
                raise TypeError(f"{name}: KIND is no {sort.__name__}")
            made[kind] = entry
    return made
