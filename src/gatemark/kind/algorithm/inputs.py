# SPDX-License-Identifier: Apache-2.0
"""Kernels that may be compared: those that work on the same input, which has a name."""

import re
from collections.abc import Iterable, Mapping, Sequence

from gatemark.kind.algorithm import point as rate
from gatemark.kind.algorithm import scanned
from gatemark.store.record import Record
from gatemark.tell.words import number

AUTOMATA = {"d2fa": "D2FA", "hfa": "Hybrid-FA"}
FILTERS = {"bf": "Bloom filter", "cbf": "counting Bloom filter"}
# Words of the input that are named where kernels of one figure differ in them.
LOADS = {"lpm": ("table", "queries"), "match": ("payload",)}


def inputs(every: Sequence[Mapping[str, str]]) -> list[str]:
    """The input of each of these kernels, by its words: `10084 prefixes, queries 3382`."""
    alike: dict[str, list[Mapping[str, str]]] = {}
    for words in every:
        alike.setdefault(_name(words), []).append(words)
    return [", ".join([_name(words), *_differing(words, alike[_name(words)])]) for words in every]


def order(name: str) -> list[tuple[int, str]]:
    """Sorts inputs by their names, numbers in them by their size."""
    return [(int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", name)]


def early(records: Iterable[Record]) -> list[str]:
    """A sentence for each matcher that does not read its payload to the end."""
    return list(
        dict.fromkeys(
            f"{words.get('patterns')}'s expressions begin at the start of the payload: "
            f"{engine(words)} reads {number.quantity(share, 'ratio')} of it."
            for kernel, share in scanned.stopped(records).items()
            if (words := rate.split(kernel))
        )
    )


def engine(words: Mapping[str, str]) -> str:
    """The name of a matcher in print."""
    name = words.get("engine", "")
    return AUTOMATA.get(name, name)


def _name(words: Mapping[str, str]) -> str:
    """The set of patterns, the table, or the filter."""
    if words["command"] == "match":
        return words.get("patterns", "")
    if words["command"] == "filter":
        structure = words.get("structure", "")
        return FILTERS.get(structure, structure)
    kind, _, made = words.get("table", "").partition(":")
    return f"{made.partition(':')[0]} prefixes" if kind == "generated" else kind


def _differing(words: Mapping[str, str], among: Iterable[Mapping[str, str]]) -> list[str]:
    return [
        f"{word} {words.get(word, 'by default')}"
        for word in LOADS.get(words["command"], ())
        if len({other.get(word) for other in among}) > 1
    ]
