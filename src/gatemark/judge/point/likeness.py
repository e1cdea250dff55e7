# SPDX-License-Identifier: Apache-2.0
"""Whether a published value has a definition like ours: all that its source says must agree.

What the source does not say is no difference that we know of, so it is told and not judged. How
long it was measured is told too. The slowdown says which gateway ours is, so it is no difference.
"""

from collections.abc import Iterable, Iterator
from math import inf, log2
from typing import Any, Final

from gatemark.judge.point.realtime import beside
from gatemark.store.published import Published
from gatemark.store.record import Definition

TOLERATED: Final = "duration_s"
TIMES: Final = (TOLERATED, "start_s")  # of a workload beside: told, and not decisive
BESIDE: Final = "beside"
# What a plain measurement is without: an access line, another load, turns with other gateways,
# marked packets. Each of them may limit a rate, and nobody has it without saying so.
ALONE: Final = {"line": "", "beside": (), "turn_ms": 0.0, "dscp": 0}
# Where a source is silent: nobody accepts loss without saying so, and a packet is a packet.
SILENT: Final = {"loss_criterion": None, "offload": False, **ALONE}


def is_alone(definition: Definition) -> bool:
    """Return whether nothing but the gateway and its own load was there."""
    return all(getattr(definition, field) == value for field, value in ALONE.items())


def alike(ours: Definition, published: Published) -> bool:
    """Return whether all that the source says agrees with our definition.

    A field that it is silent about is the plain one, unless our map of it names the field.
    """
    named = {*published.assumed, *published.unstated}
    silent = {field: value for field, value in SILENT.items() if field not in named}
    text = silent | published.stated
    return all(
        _agrees(field, value, getattr(ours, field))
        for field, value in text.items()
        if field != TOLERATED
    )


def kept(definition: Definition, published: Published) -> Iterator[object]:
    """The fields by which several values of ours are shown side by side."""
    for field in definition.__struct_fields__:
        if field not in published.assumed and field != TOLERATED:
            yield getattr(definition, field)


def distance(ours: Definition, published: Published) -> tuple[float, ...]:
    """How far ours is from what the source's tool does by itself, field by field."""
    wanted = {**published.assumed, TOLERATED: published.assumed.get(TOLERATED, 0.0)}
    wanted[TOLERATED] = published.stated.get(TOLERATED, wanted[TOLERATED])
    return tuple(
        (_apart_beside if field == BESIDE else _apart)(value, getattr(ours, field))
        for field, value in wanted.items()
    )


def _agrees(field: str, text: Any, ours: Any) -> bool:
    if isinstance(text, dict):
        least, most = text.get("min", -inf), text.get("max", inf)
        return ours in text["in"] if "in" in text else ours is not None and least <= ours <= most
    if field == "socket_buffer_bytes" and not ours:
        return True  # tuned by the kernel: alike to any
    return bool(text == ours)


def _apart(wanted: Any, ours: Any) -> float:
    if isinstance(wanted, int | float) and isinstance(ours, int | float):
        return abs(log2((ours + 1) / (wanted + 1)))
    return 0.0 if wanted == ours else inf


def _apart_beside(wanted: Any, ours: Any) -> float:
    """In how many keys the workloads beside differ, but for when they begin and how long."""
    return float(sum(key not in TIMES for _, key, *_ in unlike_beside(wanted, ours)))


def unlike_beside(
    wanted: Iterable[str], ours: Iterable[str]
) -> Iterator[tuple[str, str, str, str]]:
    """Workload, key, what is wanted, what is ours, of each key that differs ("": not written)."""
    theirs, own = beside(wanted), beside(ours)
    for name in sorted({*theirs, *own}):
        there, here = theirs.get(name, {}), own.get(name, {})
        for key in sorted({*there, *here}):
            if there.get(key, "") != here.get(key, ""):
                yield name, key, there.get(key, ""), here.get(key, "")
