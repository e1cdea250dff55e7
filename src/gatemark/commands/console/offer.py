# SPDX-License-Identifier: Apache-2.0
"""The plans that ship, each with the time that it takes: derived once, then kept in the cache.

The kept list is valid for one version and one content of all source and plan files, so it cannot
differ from what would be derived.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from gatemark.edition import edition
from gatemark.error import GatemarkError

if TYPE_CHECKING:
    from gatemark.plan.model import Plan, Suite

KEPT = "list.json"


@dataclass(frozen=True, slots=True)
class Offer:
    """A plan that can be run."""

    suite: str  # its name; that of the plan where it is alone
    suite_title: str
    plan: str
    title: str
    rows: list[str]  # of the published requirements that it answers
    variants: dict[str, float]  # by name: seconds
    seconds: float


def offers() -> list[Offer]:
    """Every plan that ships, suite by suite."""
    key = edition()
    kept = _read(key)
    if kept is None:
        kept = list(_derived())
        _keep(key, kept)
    return kept


def offered(name: str) -> list[Offer]:
    """The plans of one suite, one plan, or a plan's file. Raises UsageError."""
    from gatemark.plan.load import load

    suite, plans = load(name)
    return [_offer(suite, plan, name if name.endswith(".toml") else plan.name) for plan in plans]


def _derived() -> Iterator[Offer]:
    from gatemark.plan.load import load, suites

    for suite, plans in map(load, suites()):
        yield from (_offer(suite, plan, plan.name) for plan in plans)


def _offer(suite: "Suite", plan: "Plan", name: str) -> Offer:
    """A plan with its times; `name` is what loads it."""
    from gatemark.plan.load import load

    variants = {variant: _takes_s(load(name, variant)[1]) for variant in plan.variants}
    seconds = _takes_s([plan])
    return Offer(suite.name, suite.title, plan.name, plan.title, list(plan.rows), variants, seconds)


def _takes_s(plans: "Iterable[Plan]") -> float:
    from gatemark.plan.order import order
    from gatemark.run.duration import estimate_s

    return estimate_s(order(list(plans), seed=0))


def _read(key: str) -> list[Offer] | None:
    """The kept list; None where there is none of this key."""
    from gatemark.store import xdg

    with suppress(GatemarkError, OSError, ValueError, TypeError, KeyError):
        kept = json.loads((xdg.cache() / KEPT).read_bytes())
        if kept["key"] == key:
            return [Offer(**offer) for offer in kept["offers"]]
    return None


def _keep(key: str, made: list[Offer]) -> None:
    """Keep the list; where the cache may not be written, it is derived again next time."""
    from gatemark.store import file, xdg

    text = json.dumps({"key": key, "offers": [asdict(offer) for offer in made]})
    with suppress(GatemarkError, OSError):
        file.write(xdg.make(xdg.cache()) / KEPT, text.encode())
