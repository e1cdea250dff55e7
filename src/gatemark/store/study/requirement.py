# SPDX-License-Identifier: Apache-2.0
"""The requirements of the studies (`reference/requirements.csv`), with their `rows.toml`.

Every row has an entry, and every entry a row; otherwise reading fails and names it.
"""

import csv
import tomllib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

import msgspec

from gatemark.error import GatemarkError, UnavailableError

ROWS: Final = "rows.toml"
ROWS_SCHEMA: Final = "gatemark.rows/1"
REQUIREMENTS: Final = "requirements.csv"
STUDIES: Final = {"K": "kofler", "P": "procbench", "B": "wrt54", "D": "diffuse", "R": "capture"}


class Need(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The values that a plan must yield to answer a row, or why no plan does."""

    yields: tuple[str, ...] = ()  # quantities, and other names of judge/coverage/offer.py
    arms: tuple[str, ...] = ()  # paths or features, each of which an arm has; by their beginning
    over: tuple[str, ...] = ()  # factors, each with two levels or more
    levels: dict[str, tuple[str, ...]] = {}  # factor -> levels, all of which it has
    runs: int = 1  # of how many gateways
    every: bool = False  # every run answers it: no plan claims it
    variant: str = ""  # of the plans that claim it: without it they yield a part alone
    until: str = ""  # what a run must have that none here had: in part until one shows it
    figure: str = ""  # how the name of the figure or table begins that shows it
    not_here: str = ""  # what it needs that Gatemark does not have, or that no box here has
    missing: str = ""  # what was not built


class Requirement(msgspec.Struct, frozen=True, kw_only=True):
    """A row: what a study asked."""

    name: str  # its id: K14
    kind: str  # topology, measurement, figure, ...
    what: str  # in words
    priority: str  # must, should, could
    locator: str  # where the study has it
    need: Need  # what answers it

    @property
    def study(self) -> str:
        """The study's short name, as its suite has it."""
        return STUDIES[self.name[0]]


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`rows.toml` as it is written."""

    schema: str
    row: dict[str, Need]


@cache
def requirements() -> tuple[Requirement, ...]:
    """Every shipped row, in the order of the CSV."""
    return read(files("gatemark") / "reference")


def read(folder: Traversable) -> tuple[Requirement, ...]:
    """The rows of a folder's two files. Raises GatemarkError with file and row.

    Raises UnavailableError where they are not: a wheel is without them.
    """
    if not (folder / ROWS).is_file():
        raise UnavailableError(
            "the rows of the studies are not in an installed package: run `gatemark coverage` "
            "in a checkout of the repository"
        )
    needs = _needs(_text(folder, ROWS))
    made = []
    for row in csv.DictReader(_text(folder, REQUIREMENTS).splitlines()):
        name = row["id"]
        if name not in needs:
            raise GatemarkError(f"{REQUIREMENTS}: {name}: add [row.{name}] to {ROWS}")
        made.append(
            Requirement(
                name=name,
                kind=row["kind"],
                what=row["what"],
                priority=row["priority"],
                locator=row["locator"],
                need=needs.pop(name),
            )
        )
    if needs:
        raise GatemarkError(f"{ROWS}: [row.{min(needs)}]: no such row in {REQUIREMENTS}")
    return tuple(made)


def _needs(text: str) -> dict[str, Need]:
    try:
        file = msgspec.convert(tomllib.loads(text), File)
    except (ValueError, msgspec.ValidationError) as error:
        raise GatemarkError(f"{ROWS}: {error}") from None
    if file.schema != ROWS_SCHEMA:
        raise GatemarkError(f'{ROWS}: schema is {file.schema!r}; write "{ROWS_SCHEMA}"')
    for name, need in file.row.items():
        if sum(map(bool, (need.yields, need.not_here, need.missing))) != 1:
            raise GatemarkError(f"{ROWS}: [row.{name}]: write one of yields, not_here, missing")
    return dict(file.row)


def _text(folder: Traversable, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise GatemarkError(f"{name}: cannot be read ({error}): install gatemark again") from None
