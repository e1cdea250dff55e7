# SPDX-License-Identifier: Apache-2.0
"""NICs of this machine that may be test ports, and which port of a box each is plugged into.

A few frames to every station of the cable, of a kind that nobody reads (IEEE 802, local
experimental EtherType 1), are sent by each NIC; the port of the box that counts them is at the
other end. Nothing is set on the box; a NIC that is down is brought up for that, and down again.
"""

import asyncio
import socket
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pyroute2 import IPRoute

from gatemark.error import StationError, UnavailableError
from gatemark.node.shell import Local, Node
from gatemark.station.ssh import control, nic
from gatemark.station.ssh.ports import received

EXPERIMENTAL: Final = 0x88B5
VLAN: Final = 0x8100
EVERYBODY: Final = b"\xff" * 6
REST: Final = EXPERIMENTAL.to_bytes(2, "big") + bytes(46)
FRAMES: Final = 200
PAUSE_S: Final = 0.002  # between two: a slow box drops bursts
COUNTED_S: Final = 0.5  # until a driver has counted what came
CARRIER_S: Final = 6.0  # until both ends of a cable agree on a speed
ARRIVED: Final = 0.8  # of the frames; what else the port receives is far less
ETHERNET: Final = 1  # ARPHRD_ETHER
SOFT: Final = ("bridge", "bond", "vlan", "vxlan", "dummy", "ifb", "wireguard", "macvlan", "ipvlan")
UP: Final = 0x1  # IFF_UP


async def free(host: str) -> tuple[list[str], str]:
    """NICs that may be taken, and the one that leads to a host: "" where that is not known."""
    by = await control.require_free(Local(), (), host)
    return [name for name in await asyncio.to_thread(_nics) if name != by], by


def _nics() -> list[str]:
    with IPRoute() as here:
        links = [link for link in here.get_links() if link["ifi_type"] == ETHERNET]
    names = [str(link.get("ifname")) for link in links if _kind(link) not in SOFT]
    return [name for name in names if _is_movable(name)]


def _is_movable(name: str) -> bool:
    try:
        nic.require_movable(name)
    except StationError:
        return False
    return True


def _kind(link: Any) -> str:
    info = link.get("linkinfo")
    return str(info.get("kind")) if info else ""


async def plugged(
    box: Node, nics: Iterable[str], ports: Iterable[str], tags: Iterable[int] = ()
) -> dict[str, str]:
    """NIC -> the port of the box that it is plugged into; one that leads to none is left out.

    Frames go without a tag and with each of `tags`: a port may take one kind alone. Raises
    UnavailableError without the right to send, NodeError.
    """
    leads = {}
    wanted, kinds = tuple(ports), (0, *tags)
    for name in nics:
        before = await received(box)
        await asyncio.to_thread(_send, name, kinds)
        await asyncio.sleep(COUNTED_S)
        after = await received(box)
        came = {port: after.get(port, 0) - before.get(port, 0) for port in wanted}
        came = {port: packets - _tagged(port, came) for port, packets in came.items()}
        port = max(came, key=lambda port: came[port], default="")
        if port and came[port] >= ARRIVED * FRAMES:
            leads[name] = port
    return leads


def _tagged(port: str, came: Mapping[str, int]) -> int:
    """Count what came to VLANs of a port, as netifd calls them: it is counted at both."""
    return sum(packets for other, packets in came.items() if other.startswith(f"{port}."))


def _send(name: str, tags: Iterable[int]) -> None:
    """Send the frames; a NIC that is down is up as long as that takes."""
    with IPRoute() as here:
        link = here.get_links(here.link_lookup(ifname=name)[0])[0]
        was_up = bool(link["flags"] & UP)
        try:
            if not was_up:
                here.link("set", index=link["index"], state="up")
                _wait_for_carrier(name)
            source = bytes.fromhex(link.get("address").replace(":", ""))
            for tag in tags:
                _frames(name, EVERYBODY + source + vlan_tag(tag) + REST)
        finally:
            if not was_up:
                here.link("set", index=link["index"], state="down")


def _wait_for_carrier(name: str) -> None:
    until = time.monotonic() + CARRIER_S
    carrier = Path("/sys/class/net", name, "carrier")
    while carrier.read_text().strip() != "1" and time.monotonic() < until:
        time.sleep(0.1)


def vlan_tag(number: int) -> bytes:
    """Return what a frame of a VLAN has behind its addresses (IEEE 802.1Q); nothing of none."""
    return VLAN.to_bytes(2, "big") + number.to_bytes(2, "big") if number else b""


def _frames(name: str, frame: bytes) -> None:
    try:
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as port:
            port.bind((name, 0))
            for _ in range(FRAMES):
                port.send(frame)
                time.sleep(PAUSE_S)
    except PermissionError:
        raise UnavailableError("test ports are looked for by root alone: use sudo") from None
    except OSError:  # its carrier went: it leads nowhere
        return
