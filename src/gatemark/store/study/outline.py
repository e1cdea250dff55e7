# SPDX-License-Identifier: Apache-2.0
"""A study in its own order: its tables and figures, with what of ours belongs to each."""

import tomllib
from importlib.resources import files
from typing import Final

import msgspec

from gatemark.error import GatemarkError
from gatemark.store.study.requirement import STUDIES

OUTLINE_SCHEMA: Final = "gatemark.study/1"
FOLDER: Final = "studies"
NAMES: Final = tuple(STUDIES.values())


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table, figure or section of a study."""

    number: str  # as the study calls it: Figure 3
    title: str  # what it is about
    says: str = ""  # what the study concludes, in our words
    inventory: dict[str, str] = {}  # its row of a table of devices -> our inventory's key
    experiments: dict[str, str] = {}  # of published.csv -> in words
    plans: tuple[str, ...] = ()  # that ask the same
    figures: tuple[str, ...] = ()  # of these plans: how the names begin of those that are drawn
    tables: tuple[str, ...] = ()  # how the names begin of our tables that belong here
    line_mbit: float = 0.0  # over a line of this rate alone, where figures and queues have one
    gains: bool = False  # arms against the first, absolute and relative
    claims: bool = False  # what the study claims of protocols, tested
    cannot: tuple[str, ...] = ()  # what cannot be reproduced, and why: a sentence each


class Outline(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A study."""

    schema: str
    seed: str  # its letter in published.csv
    title: str
    part: tuple[Part, ...]

    @property
    def name(self) -> str:
        """Its short name, as its suite has it."""
        return STUDIES[self.seed]


def outline(name: str) -> Outline:
    """A study by its short name. Raises GatemarkError where its file is damaged."""
    path = files("gatemark") / "reference" / FOLDER / f"{name}.toml"
    try:
        made = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Outline)
    except (OSError, ValueError, msgspec.ValidationError) as error:
        raise GatemarkError(f"{name}.toml: {error}: install gatemark again") from None
    if made.schema != OUTLINE_SCHEMA:
        raise GatemarkError(f'{name}.toml: schema is {made.schema!r}; write "{OUTLINE_SCHEMA}"')
    return made
