# SPDX-License-Identifier: Apache-2.0
"""The classifier on a gateway to stay: put there and started by one script, ended by another.

It outlives us, so nothing of ours watches over it: two shells on the gateway do (attached.sh). What
stands around it, a shaper with its rule, is undone when it ends in any way. All its files are in
a folder in memory, which a restart empties, as it does qdiscs, tables and programs.
"""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from gatemark.error import NodeError, StationError
from gatemark.gateway import mark
from gatemark.gateway.changes import Changes
from gatemark.gateway.feature import Asked, feature_of
from gatemark.gateway.feature.program.classify import PREFERRED
from gatemark.gateway.undo import undo_script
from gatemark.node import file, shared
from gatemark.node.leftover import ATTACHED
from gatemark.node.quoted import Script, joined, literal, shell, word
from gatemark.node.reader import reader
from gatemark.node.script import script
from gatemark.plan.feature import parts
from gatemark.plan.shaper.shape import parse
from gatemark.station.wiring import Gateway

SHELLS: Final = resources.files("gatemark.gateway")
ATTACH: Final = joined((shared.SHELL, literal((SHELLS / "attach.sh").read_text())))
CLEAR: Final = joined((shared.SHELL, literal((SHELLS / "attach_clear.sh").read_text())))
WATCH: Final = literal((SHELLS / "attached.sh").read_text())
DETACH: Final = joined((shared.SHELL, literal((SHELLS / "detach.sh").read_text())))
START: Final = """echo $$ >pid
exec ./gm-classifier attach model {lan} --priority {preferred} --mark {mark} {words}"""
# Bytes/s of both ways that a flow may take and go first, at most and at least: a call by G.711
# takes 20 000. What takes more than a share of the line can fill its queue.
GUARD: Final = 125_000
GUARD_LEAST: Final = 32_000
GUARD_SHARE: Final = 1 / 8
SET: Final = """name={name} binary={binary} model={model} lan={lan}
change={change}
undo={undo}
start={start}
watch={watch}
{attach}"""


class Planned(Changes):
    """Changes that are written down and not made: the gateway's own script makes them."""

    def __init__(self, gateway: Gateway) -> None:
        super().__init__(gateway.node)
        self.change: list[Script] = []
        self.reverse: list[Script] = []

    async def make(self, change: Script, undo: Script) -> None:
        """Write it down."""
        self.change.append(change)
        self.reverse.append(undo)

    async def attempt(self, change: Script, undo: Script, refused: str = "") -> None:
        """Write it down; its script tells what is refused."""
        del refused
        await self.make(change, undo)


@dataclass(frozen=True, slots=True)
class Attached:
    """A classifier that works."""

    folder: str  # on the gateway
    notes: tuple[str, ...] = ()  # what it says of the gateway: flows that go past it


@dataclass(frozen=True, slots=True)
class Counts:
    """The counters of the classifier until it was detached."""

    seen: int  # packets of flows
    marked: int
    decisions: int  # that held at the end
    offloaded: int  # flows at a time that a flow table forwarded, at most


async def attach(
    gateway: Gateway, model: Path, *, shaper: str = "", slides: bool = False, apart: str = ""
) -> Attached:
    """Attach it at the LAN port.

    `shaper`: a feature's word, shape:htb2:0.95:wan:first=marked. `apart`: the lab that the gateway
    is of, where that is of this machine. Raises GatemarkError, and nothing of it is left.
    """
    await _script(gateway, shell("name={name}\n{clear}", name=_name(apart), clear=CLEAR))
    planned = Planned(gateway)
    words = ("--sliding",) if slides else ()
    if shaper:
        name, arguments = parts(shaper)
        await feature_of(name).apply(Asked(gateway, planned, "route", arguments))
        words = (*words, "--guard", str(guard(parse(arguments).up_bps)))
    lan = gateway.devices["gw0"]
    start = shell(START, lan=lan, preferred=PREFERRED, mark=mark.WORD, words=words)
    text = shell(
        SET,
        name=_name(apart),
        binary=await file.classifier(gateway.node),
        model=await file.path(gateway.node, model),
        lan=lan,
        change=word(joined(planned.change)),
        undo=word(undo_script(planned.reverse)),
        start=word(start),
        watch=word(WATCH),
        attach=ATTACH,
    )
    folder, *notes = (await _script(gateway, text)).splitlines()
    return Attached(folder, tuple(notes))


def guard(up_bps: float) -> int:
    """From how many bytes/s on a flow has no priority on a line of this rate."""
    return round(min(GUARD, max(GUARD_LEAST, GUARD_SHARE * up_bps / 8)))


async def detach(gateway: Gateway, apart: str = "") -> Counts:
    """End it and undo what stands around it. Raises StationError if none is attached."""
    text = shell("name={name}\n{detach}", name=_name(apart), detach=DETACH)
    return _counts(await _script(gateway, text))


async def _script(gateway: Gateway, text: Script) -> str:
    """Run one of our scripts; raises StationError with its own last word where it fails."""
    try:
        return await script(gateway.node, text)
    except NodeError as error:
        if error.output:
            raise StationError(f"{gateway.name}: {error.output}") from None
        raise


@reader("what its classifier counted")
def _counts(line: str) -> Counts:
    if not line.strip() or line.startswith("seen"):  # it ended before its first second
        return Counts(0, 0, 0, 0)
    seen, _, _, marked, decisions, _, offloaded = map(int, line.split(","))
    return Counts(seen, marked, decisions, offloaded)


def _name(apart: str) -> str:
    return f"{ATTACHED}-{apart}" if apart else ATTACHED
