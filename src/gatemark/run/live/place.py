# SPDX-License-Identifier: Apache-2.0
"""Where a live capture runs: the gateway of a station, reached and left again.

No station is built for it: the built-in lab is that of `gatemark lab up`, and a box over SSH is
taken by its lease, so no run measures on it meanwhile.
"""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from gatemark.error import StationError, UnavailableError, UsageError
from gatemark.node import checked
from gatemark.node.quoted import sh, shell
from gatemark.node.reader import reader
from gatemark.node.shell import Namespace, Streaming
from gatemark.node.shield import whole
from gatemark.plan.toml import nearest
from gatemark.run import keep
from gatemark.station import lock, own
from gatemark.station.netns import Lab
from gatemark.station.ssh import control
from gatemark.station.ssh.box import Box
from gatemark.station.ssh.file import ENDS
from gatemark.station.station import Station

MOST: Final = 8  # devices of one capture
TYPES: Final = """
for device in {devices}; do
  read -r type 2> /dev/null < "/sys/class/net/$device/type" && echo "$device $type"
done
echo = $(ls /sys/class/net)
"""


@dataclass(frozen=True, slots=True)
class Place:
    """A gateway on which a capture can run."""

    node: Streaming
    ports: Mapping[str, str]  # lan, wan -> device
    control: str  # the device that we reach it by; "": none of its own
    require: Callable[[], None]  # raises StationError where it is no more


@asynccontextmanager
async def gateway(station: Station | None) -> AsyncIterator[Place]:
    """The gateway of a station; None: of the open lab. Raises GatemarkError."""
    match station:
        case None | Lab():
            yield _open_lab()
        case Box():
            async with _box(station) as place:
                yield place
        case _:
            raise UnavailableError(
                f"--station {station.name}: a virtual gateway lasts as long as a run does; "
                "capture there by a plan's feature capture:gatemark:SNAPLEN"
            )


def _open_lab() -> Place:
    if own.needed():
        raise UnavailableError("the open lab is root's: use sudo")
    lab = keep.opened().lab

    def require() -> None:
        if not lock.holder(lab):
            raise StationError(f"lab {lab} was taken down")

    return Place(Namespace("gateway", f"gm-{lab}-gw"), ENDS, "", require)


@asynccontextmanager
async def _box(station: Box) -> AsyncIterator[Place]:
    box, asked = station.box, station.asked
    if not asked.agent:
        raise UnavailableError(f"{station.name}: its file says agent = false, and this is one")
    ports = {name: asked.devices[role] for name, role in ENDS.items() if role in asked.devices}

    def require() -> None:
        if lost := box.lost:
            raise StationError(f"{box.name}: {lost}: the capture ends")

    try:
        await box.connect()
        yield Place(box, ports, await control.require_apart(box, ()), require)
    finally:
        await whole(box.close())


def devices(place: Place, words: Sequence[str]) -> list[str]:
    """The devices that `--on` names: by its role, or itself. Raises UsageError."""
    names = list(dict.fromkeys(place.ports.get(word, word) for word in words))
    for name in names:
        if name in ENDS:
            raise UsageError(f"--on {name}: its station file names no such port")
        try:
            checked.device(name)
        except ValueError as error:
            raise UsageError(f"--on {error}") from None
    if len(names) > MOST:
        raise UsageError(f"--on: at most {MOST} devices")
    return names


async def types(place: Place, names: Sequence[str]) -> dict[str, str]:
    """The type of each device, as linux/if_arp.h counts them. Raises UsageError if one lacks."""
    known, have = _types(await place.node.run(*sh(shell(TYPES, devices=names))))
    for name in names:
        if name not in known:
            raise UsageError(f"--on {name}: the gateway has no such device{nearest(name, have)}")
    return {name: known[name] for name in names}


@reader("the types of its devices")
def _types(text: str) -> tuple[dict[str, str], list[str]]:
    typed, _, have = text.partition("=")
    rows = [line.split() for line in typed.splitlines()]
    return {name: str(int(kind)) for name, kind in rows}, have.split()


def require_no_echo(place: Place, names: Sequence[str], *, is_filtered: bool) -> None:
    """Raise UsageError where a capture would capture its own packets, and so for ever more."""
    if place.control in names and not is_filtered:
        raise UsageError(
            f"--on {place.control}: the capture itself leaves by that port: leave it out by "
            "--filter 'not port 22'"
        )
