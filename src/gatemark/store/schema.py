# SPDX-License-Identifier: Apache-2.0
"""Schema names, `gatemark.record/1`: a higher number means that keys mean something else.

And the numbers of a record and of its series, wherever they come from: what is beyond their bounds
was never measured, and is refused as a line is read. So sums, steps and marks made of them end.
"""

import re
from typing import Annotated, Final

import msgspec

MOST: Final = 2**63 - 1
DAY_S: Final = 86_400  # a trial lasts ten minutes at most
MOST_CPUS: Final = 8192  # that a kernel of x86-64 is built for

Number = Annotated[float, msgspec.Meta(ge=-MOST, le=MOST)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=DAY_S)]
Share = Annotated[float, msgspec.Meta(ge=-MOST_CPUS, le=MOST_CPUS)]  # of a CPU


class Head(msgspec.Struct, frozen=True):
    """The part of a document that is read before we know whether we can read it."""

    schema: str = ""


def schema_of(document: bytes) -> str:
    """The schema that a JSON object names; empty where it names none or is no JSON."""
    try:
        return msgspec.json.decode(document, type=Head).schema
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""


def age(schema: str, ours: str) -> int:
    """1 if a later Gatemark wrote it, -1 if an older one: the same name, another number; else 0."""
    name, number = ours.split("/")
    match = re.fullmatch(rf"{re.escape(name)}/([0-9]{{1,9}})", schema)
    theirs = int(match[1]) if match else int(number)
    return (theirs > int(number)) - (theirs < int(number))
