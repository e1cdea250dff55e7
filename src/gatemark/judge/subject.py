# SPDX-License-Identifier: Apache-2.0
"""What a result is about: one point of one arm of a plan, and what its values are values of."""

from typing import Any, Self

import msgspec

from gatemark.store.record import Definition, Record, Scalar


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """One point of one arm. It is made once, of a record; every result of the point carries it."""

    plan: str  # suite/file
    arm: str  # which of the setups that the plan compares, by its name
    setup: str  # the path, and what the gateway does besides: "route", "nat + filter:100"
    point: dict[str, Scalar] = {}  # factor -> level
    definition: Definition

    @classmethod
    def of(cls, record: Record) -> Self:
        """The subject of a trial."""
        return cls(
            plan=record.plan,
            arm=record.arm,
            setup=record.definition.setup,
            point=record.point,
            definition=record.definition,
        )

    def at(self, point: dict[str, Scalar]) -> "Subject":
        """The same arm at another point, or at fewer of its factors."""
        return msgspec.structs.replace(self, point=point)


class About(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all that has a subject, and is read like it."""

    subject: Subject

    @property
    def plan(self) -> str:
        """Its name."""
        return self.subject.plan

    @property
    def arm(self) -> str:
        """Its name."""
        return self.subject.arm

    @property
    def setup(self) -> str:
        """The setup in words."""
        return self.subject.setup

    @property
    def point(self) -> dict[str, Scalar]:
        """The levels of its factors."""
        return self.subject.point

    @property
    def definition(self) -> Definition:
        """What makes its values comparable."""
        return self.subject.definition

    def about(self, **fields: Any) -> Self:
        """The same with other fields of its subject."""
        return msgspec.structs.replace(
            self, subject=msgspec.structs.replace(self.subject, **fields)
        )
