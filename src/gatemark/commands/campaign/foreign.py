# SPDX-License-Identifier: Apache-2.0
"""A campaign's folder may be another's: what it executes is asked for, what it names is checked."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gatemark.commands import trust
from gatemark.commands.campaign import carried
from gatemark.commands.campaign.layout import TOML, Layout
from gatemark.error import GatemarkError, UsageError
from gatemark.fleet.ledger import Ledger

if TYPE_CHECKING:
    from gatemark.store.begun import Begun


def require(folder: Path, layout: Layout, ledger: Ledger, *, agreed: bool) -> None:
    """Raise UsageError unless this user began it, or agrees to what it executes."""
    own = begun(layout, ledger)
    trust.require(folder, own, trust=agreed)
    own.mark()


def require_carrier(folder: Path, layout: Layout, ledger: Ledger) -> None:
    """Raise UsageError where another's campaign would speak with a scheduler of its choice."""
    if not begun(layout, ledger).is_own():
        raise UsageError(
            f"{folder}: not begun here by this user, and its blocks are at "
            f"{ledger.meta(carried.EXECUTOR)}: `gatemark campaign resume --trust` asks there"
        )


def begun(layout: Layout, ledger: Ledger) -> "Begun":
    """A campaign with what going on with it executes."""
    from gatemark.store.begun import Begun

    # The file's hash is of all commands in it.
    identity = tuple(
        ledger.meta(key) for key in ("id", "file", "base", carried.EXECUTOR, carried.KEYS)
    )
    return Begun(layout.campaign.title, identity, tuple(_executed(layout, ledger)))


def _executed(layout: Layout, ledger: Ledger) -> Iterator[str]:
    made = layout.campaign
    for model in made.model:
        for key in ("switch", "power", "console"):
            if command := getattr(model, key):
                yield f"{key} of {model.name}, on this machine: {command}"
        images = [build.image.get(model.name, "") for build in made.build if not model.switch]
        files = [word for word in (*model.stations, *images) if word.endswith(TOML)]
        yield from (f"the station {word}" for word in files)
        yield from (f"the setting {setting}" for setting in model.set)
    for suite in made.suite:
        yield from (f"the plan {word}" for word in (suite.plan,) if word.endswith(TOML))
        yield from (f"the setting {setting}" for setting in suite.set)
    if carried.is_elsewhere(ledger):
        yield f"blocks by {ledger.meta(carried.EXECUTOR)}, with keys of {ledger.meta(carried.KEYS)}"


def require_agreeing(layout: Layout, ledger: Ledger) -> None:
    """Raise GatemarkError where the ledger is not of the campaign's file."""
    made = layout.campaign
    known = {name: model.name for name, (_, model) in layout.places.items()}
    blocks = {(model.name, suite.plan) for model in made.model for suite in made.suites_of(model)}
    builds = {(model.name, build.name) for model in made.model for build in made.build}
    if (
        {place.name: place.model for place in ledger.places()} != known
        or not {(block.model, block.suite) for block in ledger.blocks()} <= blocks
        or {(model, build) for model, build, _ in ledger.builds()} != builds
    ):
        raise GatemarkError(f"{ledger.path}: not of {layout.path}: get both from one copy")
