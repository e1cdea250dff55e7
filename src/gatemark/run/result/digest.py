# SPDX-License-Identifier: Apache-2.0
"""Whether a kernel computed what it should: its digest against the known one, or its own trials'.

A digest is of all results in order. It is the same on every processor, at every level of
optimisation, by every implementation, and of a look-up by every structure. So a trial whose digest
is another one than the words' before has computed something else, and its rate is none.
"""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

from msgspec.structs import replace

from gatemark.store.record import Record

DIGEST: Final = "digest"  # a field's name, or its end
# Words that change how a result comes about, and not the result.
NEUTRAL: Final = frozenset({"impl", "mode", "batch", "repeats", "pass_ms", "pages"})
ALIKE: Final = {"lpm": frozenset({"structure"}), "match": frozenset({"engine"})}

Digests = Mapping[str, str]  # by field


def agreeing(record: Record, before: Iterable[Record]) -> Record:
    """The record; invalid where its digests are not those that are known, or seen before."""
    if record.status != "ok" or not record.evidence.kernels:
        return record
    first, *others = [digests(report) for report in record.evidence.kernels]
    if any(other != first for other in others):
        return _invalid(record, "its instances computed different results")
    asked = question(record.definition.kernel)
    for words, known in _known():
        if words.items() <= asked.items() and (reason := _difference(first, known)):
            return _invalid(record, f"{reason} as known")
    for other in before:
        if other.status == "ok" and question(other.definition.kernel) == asked:
            reason = _difference(first, digests(other.evidence.kernels[0]))
            if reason:
                return _invalid(record, f"{reason} in {other.trial}")
    return record


def digests(report: Mapping[str, Any]) -> Digests:
    """The digests of a program's record."""
    return {name: str(value) for name, value in report.items() if name.endswith(DIGEST)}


def question(kernel: str) -> dict[str, str]:
    """What a kernel was asked: the words of its definition that its results depend on."""
    command, *words = kernel.split()
    left_out = NEUTRAL | ALIKE.get(command, frozenset())
    pairs = (word.partition("=") for word in words)
    return {"command": command} | {key: value for key, _, value in pairs if key not in left_out}


def _difference(own: Digests, other: Digests) -> str:
    for name in own.keys() & other.keys():
        if own[name] != other[name]:
            return f"{name} {own[name]}, which is {other[name]}"
    return ""


def _invalid(record: Record, reason: str) -> Record:
    return replace(record, status="invalid", reason=f"wrong result: {reason}")


@cache
def _known() -> list[tuple[dict[str, str], Digests]]:
    """The words and digests that other programs than ours computed."""
    text = (resources.files(__package__) / "digests.toml").read_text()
    rows = tomllib.loads(text)["known"]
    return [
        (
            {key: str(word) for key, word in row.items() if not key.endswith(DIGEST)},
            digests(row),
        )
        for row in rows
    ]
