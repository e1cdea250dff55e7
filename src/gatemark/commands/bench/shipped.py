# SPDX-License-Identifier: Apache-2.0
"""The stations that ship, each in a line: what it is, and what it needs first."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gatemark.error import UnavailableError
from gatemark.plan.toml import read_toml
from gatemark.station.image.arch import ARCHES, Arch
from gatemark.station.image.openwrt import image as openwrt
from gatemark.station.load import stations, stations_folder

SPACE = "a namespace of this machine's kernel, at its full speed"
KERNELS = {"": "Debian's kernel", openwrt.NAME: "OpenWrt's userland on Debian's kernel"}


@dataclass(frozen=True, slots=True)
class Shipped:
    """A station that ships."""

    station: str  # its name
    kind: str  # netns or qemu
    what: str
    first: str  # what is to be done before it can be used; "": nothing


def shipped() -> Iterator[Shipped]:
    """Yield each, by name; nothing is built or booted."""
    for name in stations():
        gateway = read_toml(stations_folder() / f"{name}.toml")["gateway"]
        what, first = _guest(gateway) if gateway["kind"] == "qemu" else (SPACE, "")
        yield Shipped(name, gateway["kind"], what, first)


def _guest(gateway: Mapping[str, str]) -> tuple[str, str]:
    """A virtual gateway: what it boots, and what is missing here."""
    arch, image = ARCHES[gateway["arch"]], gateway.get("image", "")
    card = f", {gateway['nic']}" if "nic" in gateway else ""
    return f"{KERNELS[image]}, {gateway['arch']}{card}, in QEMU", _first(arch, image)


def _first(arch: Arch, image: str) -> str:
    if not shutil.which(arch.emulator):
        return f"apt-get install {arch.package}"
    if image:
        try:
            openwrt.image(arch)
        except UnavailableError:
            return openwrt.command(arch)
    return ""
