# SPDX-License-Identifier: Apache-2.0
"""Which of a box's ports are LAN and WAN, what carries the session, and who sets what.

What a box has is read by `ports.py`. What cannot be measured as it stands is refused in one line
that says how to fix it (`control_port.py` has those that take several commands).
"""

from dataclasses import dataclass
from typing import Final

from gatemark.error import UsageError
from gatemark.plan.toml import nearest
from gatemark.station.mode import Mode
from gatemark.station.ssh import control_port
from gatemark.station.ssh.ports import Shown

LAN: Final = "lan"  # OpenWrt's names for its networks
WAN: Final = "wan"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a station file is going to say of a box."""

    lan: str  # the device that has the LAN address
    wan: str  # "" where there is none: the box is an end of the traffic alone
    control: str  # "" where it does not tell
    mode: Mode
    path: str  # of a box that is taken as it is
    lan_ports: tuple[str, ...]  # where the cable may go
    control_ports: tuple[str, ...]
    notes: tuple[str, ...]  # what a person should know, a line each


def choose(shown: Shown, lan: str = "", wan: str = "", *, observe: bool = False) -> Choice:
    """What it is to be; `lan` and `wan` are what somebody named. Raises UsageError with the fix."""
    if shown.lacks:
        raise UsageError(
            f"the box's shell lacks {', '.join(shown.lacks)}: a full busybox has it; on OpenWrt "
            f"`opkg install coreutils-{shown.lacks[0]}`, or a package of its name"
        )
    lan, wan = _ports(shown, lan, wan)
    control_port.require(shown, lan, wan)
    mode = Mode.OBSERVE if observe else _mode(shown)
    if mode is Mode.OBSERVE:
        _require_addressed(shown, lan, wan)
    elif not shown.writes:
        raise UsageError(
            "the box's /tmp takes no file, which holds how it is given back: is it full, or "
            "read-only? `df /tmp` there shows it; or measure it as it is: --observe"
        )
    return Choice(
        lan=lan,
        wan=wan,
        control=shown.session,
        mode=mode,
        path=_path(shown, wan) if mode is Mode.OBSERVE else "",
        lan_ports=shown.ports_of(lan),
        control_ports=shown.ports_of(shown.session) if shown.session else (),
        notes=tuple(_notes(shown, lan, wan, mode)),
    )


def _ports(shown: Shown, lan: str, wan: str) -> tuple[str, str]:
    for key, name in (("--lan", lan), ("--wan", wan)):
        if name and name not in shown.devices:
            known = list(shown.devices)
            raise UsageError(f"{key}: the box has no port '{name}'{nearest(name, known)}")
    networks = shown.networks
    lan = lan or (networks[LAN].device if LAN in networks else "")
    wan = wan or (networks[WAN].device if WAN in networks else "")
    free = [port for port in shown.ports if port not in (shown.session, lan, wan)]
    free = [port for port in free if port not in shown.ports_of(shown.session)]
    if not wan and shown.default in free:
        wan = shown.default
        free.remove(wan)
    if not lan:
        if not free:
            raise UsageError(
                f"the box has no port for traffic besides {shown.session or 'none'}, which the "
                "session comes in by: one with two ports more is measured from LAN to WAN"
            )
        lan = free.pop(0)
    if not wan and not shown.networks and free:
        wan = free.pop(0)
    return lan, wan


def _mode(shown: Shown) -> Mode:
    """The best that its tools allow. Raises UsageError."""
    if {"uci", "fw4"} <= shown.tools and shown.networks:
        if "flock" not in shown.tools:
            raise UsageError(
                "the box has no flock, without which fw4 reloads nothing and says nothing: "
                "`opkg install flock` (or `apk add flock`) there, or --observe"
            )
        return Mode.OPENWRT
    lacks = sorted({"ip", "nft"} - shown.tools)
    if lacks:
        raise UsageError(
            f"the box has no {' and no '.join(lacks)}, by which it would be set: install "
            f"{' and '.join(lacks)} there, or measure it as it is: --observe"
        )
    return Mode.APPLY


def _require_addressed(shown: Shown, lan: str, wan: str) -> None:
    for port in filter(None, (lan, wan)):
        if not any("." in address for address in shown.addresses.get(port, ())):
            proto = next((n.proto for n in shown.networks.values() if n.device == port), "")
            why = f" (its protocol is {proto}, and nobody answers there)" if proto else ""
            raise UsageError(
                f"{port} of the box has no IPv4 address{why}: give it one, or let Gatemark set "
                "addresses while a run lasts (without --observe)"
            )


def _path(shown: Shown, wan: str) -> str:
    """A box with a firewall of OpenWrt's masquerades by itself; of others it is read in the run."""
    return "nat" if wan and "fw4" in shown.tools else ""


def _notes(shown: Shown, lan: str, wan: str, mode: Mode) -> list[str]:
    notes = []
    if not wan:
        notes.append("no WAN port: the box is measured as an end of the traffic (path endpoint)")
    if not shown.session:
        notes.append("the box does not tell which port SSH comes in by: no test port, please")
    network = shown.networks.get(WAN)
    if network and network.proto.startswith("ppp"):
        notes.append(
            f"{WAN} is a PPPoE connection: {wan} below it is measured, without PPPoE; the feature "
            "pppoe adds it"
        )
    elif network and network.proto == "dhcp" and mode is not Mode.OBSERVE:
        notes.append(
            f"{WAN} asks for its address by DHCP: while a run lasts it has one of ours besides"
        )
    if shared := _conduits(shown, lan) & _conduits(shown, wan):
        conduit = ", ".join(sorted(shared))
        notes.append(f"LAN and WAN are VLANs of {conduit}: up and down at once share its rate")
    if not shown.devices[lan].carrier:
        notes.append(f"{lan} has no carrier: nothing is plugged in yet, or the port is down")
    return notes


def _conduits(shown: Shown, device: str) -> set[str]:
    """What the ports of a device stand on, where they are VLANs."""
    ports = (shown.devices[port] for port in (shown.ports_of(device) if device else ()))
    return {ground for port in ports if port.kind == "vlan" for ground in port.below}
