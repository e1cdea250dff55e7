# SPDX-License-Identifier: Apache-2.0
"""The inventory before and after a run, side by side, with what changed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gatemark.tell.words.number import DASH

ABSENT = DASH


@dataclass(frozen=True, slots=True)
class Item:
    """One fact of a node."""

    key: str  # gateway.kernel
    before: str
    after: str

    @property
    def changed(self) -> bool:
        """Return whether the run left it otherwise than it was; unknown is no change."""
        return ABSENT not in (self.before, self.after) and self.before != self.after


def table(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Item]:
    """All facts of both, in the order in which they were taken, changed ones first."""
    first, last = dict(_flat("", before)), dict(_flat("", after))
    keys = dict.fromkeys((*first, *last))
    items = [Item(key, first.get(key, ABSENT), last.get(key, ABSENT)) for key in keys]
    return sorted(items, key=lambda item: not item.changed)


def _flat(prefix: str, value: object) -> Iterator[tuple[str, str]]:
    """Nested facts as dotted keys and text."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{prefix}.{key}" if prefix else str(key), inner)
    elif isinstance(value, list | tuple):
        yield prefix, "\n".join(str(item) for item in value) or "none"
    else:
        yield prefix, str(value)
