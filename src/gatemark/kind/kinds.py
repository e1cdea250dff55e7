# SPDX-License-Identifier: Apache-2.0
"""The list of kinds, read off the folders, and what each has for a floor of the house.

A kind is a folder. Its modules stand on the floors beside those that read them, and whoever reads
a floor asks for that module of all kinds. So `gatemark show` imports nothing that sends, and the
terminal nothing that draws.

    __init__  QUANTITIES    its values: unit, words        read by quantity
    plan      Rules         what a plan may ask for        read by plan, station, judge.coverage
    load                    what sends, and accounts       imported by the kind's own `result`
    result    Kind          what a trial yields            run
    point     Judge         what held a point back         judge
    answer    Answer        its rows                       tell
    figure    Figures       its charts                     tell
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

T = TypeVar("T")
Layer = Literal["__init__", "plan", "result", "point", "answer", "figure"]
HERE: Final = Path(__file__).parent
MODULES: Final = {
    folder.name: {each.name for each in folder.iterdir()}
    for folder in HERE.iterdir()
    if folder.is_dir()
}


def having(layer: Layer) -> tuple[str, ...]:
    """The kinds that have a layer's module, by name."""
    return tuple(sorted(kind for kind, files in MODULES.items() if f"{layer}.py" in files))


KINDS: Final = having("plan")  # words of a plan; `restart` and `tool` are others' ways to be sent


def entries(layer: Layer, sort: type[T]) -> dict[str, T]:
    """Return the KIND of a layer's module, by kind; a kind without one is left out."""
    made: dict[str, T] = {}
    for kind in having(layer):
        module = import_module(f"{__package__}.{kind}.{layer}")
        if hasattr(module, "KIND"):
            made[kind] = module.KIND
    if wrong := [kind for kind, entry in made.items() if not isinstance(entry, sort)]:
        raise TypeError(f"{layer} of {wrong}: KIND is no {sort.__name__}")
    return made


def quantities() -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Each value that a kind has, with what its QUANTITIES say of it."""
    for kind in having("__init__"):
        yield from getattr(import_module(f"{__package__}.{kind}"), "QUANTITIES", {}).items()
