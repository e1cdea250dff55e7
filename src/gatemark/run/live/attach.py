# SPDX-License-Identifier: Apache-2.0
"""Where a classifier is attached to stay: the open lab's gateway, a station's box, a host over SSH.

A host over SSH may be a virtual machine: what is attached to it lives as long as it does.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError, UsageError
from gatemark.gateway import attached
from gatemark.gateway.attached import Attached, Counts
from gatemark.node import checked
from gatemark.node.remote.login import Address, Login
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Namespace
from gatemark.run import keep
from gatemark.station import own
from gatemark.station.load import load, stations
from gatemark.station.ssh.box import Box
from gatemark.station.wiring import Gateway

LAB: Final = "lab"
LAN: Final = "br-lan"  # OpenWrt's
ROLES: Final = {"gw0": "--lan", "gw1": "--wan"}


@dataclass(frozen=True, slots=True)
class Place:
    """A gateway, in the words of the command line."""

    where: str  # lab, a station file, USER@HOST
    lan: str = ""  # "": as the station has it
    wan: str = ""


async def attach(place: Place, model: Path, *, shaper: str = "", slides: bool = False) -> Attached:
    """Attach a model. Raises GatemarkError."""
    async with _reached(place) as (gateway, lab):
        if "gw0" not in gateway.devices or (shaper and "gw1" not in gateway.devices):
            raise UsageError("name the device that is shaped: --wan eth1")
        return await attached.attach(gateway, model, shaper=shaper, slides=slides, apart=lab)


async def detach(place: Place) -> Counts:
    """End what is attached there. Raises GatemarkError."""
    async with _reached(place) as (gateway, lab):
        return await attached.detach(gateway, lab)


@asynccontextmanager
async def _reached(place: Place) -> AsyncIterator[tuple[Gateway, str]]:
    """The gateway, and the name of its lab where it is of this machine."""
    asked = {"gw0": place.lan, "gw1": place.wan}
    given = {role: _device(role, name) for role, name in asked.items() if name}
    if place.where == LAB:
        if own.needed():
            raise UnavailableError("the open lab is root's: use sudo")
        lab = keep.opened().lab
        devices = {"gw0": "gw0", "gw1": "gw1"} | given
        yield Gateway(Namespace("gateway", f"gm-{lab}-gw"), devices), lab
        return
    login, devices = _known(place.where)
    host = Ssh("gateway", replace(login, lease_s=0))
    await host.connect()
    try:
        yield Gateway(host, devices | given), ""
    finally:
        await host.close()


def _known(where: str) -> tuple[Login, dict[str, str]]:
    """How a box is reached, and its ports as its station file has them."""
    if not where.endswith(".toml") and where not in stations():
        return Login(_address(where)), {"gw0": LAN}
    station = load(where)
    if not isinstance(station, Box):
        raise UsageError(
            f"{where}: a gateway that lasts as long as a run does: classify there by a plan's "
            f"feature classify:jumping; or name {LAB}, or USER@HOST of a gateway"
        )
    if not station.asked.agent:
        raise UnavailableError(f"{where}: agent = false, so no program of ours may run on it")
    return station.asked.login, dict(station.asked.devices)


def _address(where: str) -> Address:
    try:
        return Address.parse(where)
    except ValueError as error:
        raise UsageError(f"{error}; or {LAB}, or a station file NAME.toml") from None


def _device(role: str, name: str) -> str:
    try:
        return checked.device(name)
    except ValueError as error:
        raise UsageError(f"{ROLES[role]}: {error}") from None
