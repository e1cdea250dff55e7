# SPDX-License-Identifier: Apache-2.0
"""The tests of a stage that are run: all, those that a change can break, or CI's part."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from runner import quarter, reach
from runner.process import ROOT


class Chosen(Protocol):
    """A choice of tests."""

    def has(self, stage: str) -> bool:
        """Tell whether a stage that is no folder of tests is run."""
        ...

    def files(self, stage: str, folder: str) -> Sequence[str]:
        """Return what pytest is given of a folder, in order; nothing: the stage is left out."""
        ...


class All:
    """Every test."""

    def has(self, stage: str) -> bool:  # noqa: ARG002
        """Every stage."""
        return True

    def files(self, stage: str, folder: str) -> Sequence[str]:  # noqa: ARG002
        """The folder."""
        return [folder]


class Changed:
    """The tests that these files can break, the nearest first."""

    def __init__(self, changes: Collection[Path]) -> None:
        self.changes = changes
        self.stages = reach.stages(changes) | {"lint"}

    def has(self, stage: str) -> bool:
        """Tell whether the change reaches the stage as a whole."""
        return stage in self.stages

    def files(self, stage: str, folder: str) -> Sequence[str]:
        """The files that are reached, the nearest first; the folder where the stage is."""
        if stage in self.stages:
            return [folder]
        reached = reach.reached(ROOT / folder, self.changes)
        return [str(path.relative_to(ROOT)) for path in reached]


class Part(Changed):
    """CI's part: a quarter of all, then what the change can break."""

    def __init__(self, changes: Collection[Path], number: int) -> None:
        super().__init__(changes)
        self.number = number

    def has(self, stage: str) -> bool:
        """Tell whether the stage is of the quarter, or reached."""
        return quarter.is_due(stage, self.number) or super().has(stage)

    def files(self, stage: str, folder: str) -> Sequence[str]:
        """The files of the quarter, then those that are reached."""
        names = [str(path.relative_to(ROOT)) for path in (ROOT / folder).rglob("test_*.py")]
        of_quarter = sorted(name for name in names if quarter.is_due(name, self.number))
        reached = super().files(stage, folder)
        others = sorted(names) if stage in self.stages else reached
        return [*dict.fromkeys((*of_quarter, *others))]
