# SPDX-License-Identifier: Apache-2.0
"""Which of a box's ports are LAN and WAN, what carries the session, and who sets what.

What a box has is read by `ports.py`. What cannot be measured as it stands is refused in one line
that says how to fix it (`control_port.py` has those that take several commands).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from gatemark.error import UsageError
from gatemark.plan.toml import nearest
from gatemark.station.mode import Mode
from gatemark.station.ssh import control_port
from gatemark.station.ssh.ports import Outlet, Shown

LAN: Final = "lan"  # OpenWrt's names for its networks
WAN: Final = "wan"
CONTROL: Final = "control"
RADIO: Final = ("wlan", "wwan")  # kinds of devices that no cable leads to
OUTWARD: Final = ("dhcp", "pppoe", "ppp", "pptp", "l2tp", "3g", "qmi", "ncm", "mbim")


@dataclass(frozen=True, slots=True)
class Choice:
    """The words that a station file is going to have of a box."""

    lan: str  # the device that has the LAN address
    wan: str  # "" where there is none: the box is an end of the traffic alone
    control: str  # "" where it does not tell
    mode: Mode
    path: str  # of a box that is taken as it is
    sockets: Mapping[str, tuple[Outlet, ...]]  # lan, wan, control -> where the cable may go
    notes: tuple[str, ...]  # what a person should know, a line each

    @property
    def lan_ports(self) -> tuple[str, ...]:
        """The sockets of the LAN."""
        return self.ports(LAN)

    @property
    def wan_ports(self) -> tuple[str, ...]:
        """The sockets of the WAN."""
        return self.ports(WAN)

    @property
    def is_trunk(self) -> bool:
        """Return whether LAN and WAN are VLANs of one and the same socket."""
        return len(self.lan_ports) == 1 and self.lan_ports == self.wan_ports

    def ports(self, end: str) -> tuple[str, ...]:
        """The sockets of lan, wan or control."""
        return tuple(outlet.port for outlet in self.sockets[end])

    def tag(self, end: str, port: str) -> int:
        """Return the VLAN of frames at a socket of lan or wan; 0: none, or not plain which."""
        tags = {o.vlan for o in self.sockets[end] if port in (o.port, "")}
        return tags.pop() if len(tags) == 1 else 0


def choose(shown: Shown, lan: str = "", wan: str = "", *, observe: bool = False) -> Choice:
    """Return the choice; `lan` and `wan` are a user's words. Raises UsageError with the fix."""
    if shown.lacks:
        raise UsageError(
            f"the box's shell lacks {', '.join(shown.lacks)}: a full busybox has it; on OpenWrt "
            f"`opkg install coreutils-{shown.lacks[0]}`, or a package of its name"
        )
    lan, wan = _ports(shown, lan, wan)
    _require_cabled(shown, lan, wan)
    control_port.require(shown, lan, wan)
    mode = Mode.OBSERVE if observe else _mode(shown)
    if mode is Mode.OBSERVE:
        _require_addressed(shown, lan, wan)
    elif not shown.writes:
        raise UsageError(
            "the box's /tmp takes no file, which holds how it is given back: is it full, or "
            "read-only? `df /tmp` there shows it; or measure it as it is: --observe"
        )
    choice = Choice(
        lan=lan,
        wan=wan,
        control=shown.session,
        mode=mode,
        path=_path(shown, wan) if mode is Mode.OBSERVE else "",
        sockets={
            end: _outlets(shown, end, device) if device else ()
            for end, device in ((LAN, lan), (WAN, wan), (CONTROL, shown.session))
        },
        notes=tuple(_notes(shown, lan, wan, mode)),
    )
    _require_tags(choice)
    return choice


def _require_cabled(shown: Shown, lan: str, wan: str) -> None:
    """Require ports that a cable leads to and frames of ours reach, which have one tag at most."""
    for end, device in ((LAN, lan), (WAN, wan)):
        if device in shown.devices and shown.devices[device].kind in RADIO:
            raise UsageError(
                f"{end} of the box is {device}, a radio, which no cable leads to: name a network "
                f"or a port with a socket: --{end} PORT"
            )
        ground = "" if shown.is_of_bridge(device) else shown.ground(device)
        if ground and any(outlet.vlan for outlet in shown.outlets(ground)):
            raise UsageError(
                f"{device} of the box is a VLAN in a VLAN: its frames have two tags, and ours have "
                f"one: name what is below it: --{end} {ground}"
            )


def _require_tags(choice: Choice) -> None:
    """Require tags on both sides of a trunk: one adapter of ours has both, each a VLAN of it."""
    (port, *_) = (*choice.lan_ports, "")
    tags = {end: choice.tag(end, port) for end in (LAN, WAN)}
    if choice.is_trunk and not all(tags.values()):
        plain = next(end for end, tag in tags.items() if not tag)
        raise UsageError(
            f"LAN and WAN of the box are both at {port}, and {plain} is not tagged there: give it "
            f"a VLAN of {port} too, or name a network at another port: --lan, --wan"
        )


def _outlets(shown: Shown, end: str, device: str) -> tuple[Outlet, ...]:
    """The sockets of lan, wan or control; of a bridge that tells no VLANs, by the ports' names."""
    outlets = shown.outlets(device)
    if not shown.is_of_bridge(device) or shown.bridge_vlans or end == CONTROL:
        return outlets
    named = tuple(o for o in outlets if o.port.startswith(WAN) is (end == WAN))
    return named or outlets


def _device(shown: Shown, name: str) -> str:
    """A device by its own name, or by that of a network of OpenWrt's: `wanb`, `pppoe-wan`."""
    named = (n.device for n in shown.networks.values() if name and name in (n.name, n.layer3))
    return name if name in shown.devices else next(named, name)


def _ports(shown: Shown, lan: str, wan: str) -> tuple[str, str]:
    lan, wan = _device(shown, lan), _device(shown, wan)
    for key, name in (("--lan", lan), ("--wan", wan)):
        if name and name not in shown.devices:
            known = list(shown.devices)
            raise UsageError(f"{key}: the box has no port '{name}'{nearest(name, known)}")
    networks = shown.networks
    lan = lan or (networks[LAN].device if LAN in networks else "")
    wan = wan or (networks[WAN].device if WAN in networks else "")
    taken = {shown.session, lan, wan, *(outlet.port for outlet in shown.outlets(shown.session))}
    free = [p for p in shown.ports if p not in taken and not shown.devices[p].master]
    default = _device(shown, shown.default)
    if not wan and default in shown.devices and default not in (shown.session, lan):
        wan = default
        free = [port for port in free if port != wan]
    if not lan:
        if not free and (named := _named(shown)):
            raise UsageError(
                f"no network of the box is called {LAN}: name the one to measure: --lan {named[0]}"
                f" (there are {', '.join(named)})"
            )
        if not free:
            raise UsageError(
                f"the box has no port for traffic besides {shown.session or 'none'}, which the "
                "session comes in by: one with two ports more is measured from LAN to WAN"
            )
        lan = free.pop(0)
    if not wan and not shown.networks and free:
        wan = free.pop(0)
    return lan, wan


def _named(shown: Shown) -> list[str]:
    """The networks that could be a LAN: those with a device that do not lead outwards."""
    return [
        network.name
        for network in shown.networks.values()
        if network.device in shown.devices
        and network.proto not in OUTWARD
        and network.device != shown.session
    ]


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
    if (network and network.proto.startswith("ppp")) or wan in shown.dialled:
        notes.append(
            f"{WAN} is a PPPoE connection: {wan} below it is measured, without PPPoE; the feature "
            "pppoe adds it"
        )
    elif network and network.proto == "dhcp" and mode is not Mode.OBSERVE:
        notes.append(
            f"{WAN} asks for its address by DHCP: while a run lasts it has one of ours besides"
        )
    notes += _of_vlans(shown, lan, wan)
    notes += _of_other_wans(shown, wan)
    if not shown.devices[lan].carrier:
        notes.append(f"{lan} has no carrier: nothing is plugged in yet, or the port is down")
    return notes


def _of_vlans(shown: Shown, lan: str, wan: str) -> Iterator[str]:
    """Wires that are shared, tags at sockets, and VLANs whose ports the box does not show."""
    if shared := _wires(shown, lan) & _wires(shown, wan):
        wires = ", ".join(sorted(shared))
        yield f"LAN and WAN are VLANs of {wires}: up and down at once share its rate"
    for end, device in (("LAN", lan), ("WAN", wan)):
        outlets = shown.outlets(device) if device else ()
        if tagged := [outlet for outlet in outlets if outlet.vlan]:
            where = ", ".join(outlet.port for outlet in tagged)
            yield f"{end} is tagged at {where}: frames of VLAN {tagged[0].vlan} are sent there"
        if shown.is_of_bridge(device) and not shown.bridge_vlans:
            yield (
                f"{device} is a VLAN of {shown.ground(device)}, and the box does not show which "
                "ports are in it: its sockets are taken by their names, and tags are not known"
            )


def _wires(shown: Shown, device: str) -> set[str]:
    """The ports that frames of a network cross, and what VLANs stand on. A bridge is no wire."""
    wires: set[str] = set()
    for port in shown.ports_of(device) if device else ():
        if shown.is_of_bridge(port):
            outlets = shown.outlets(port)
            wires |= {outlet.port for outlet in outlets} if len(outlets) == 1 else set()
        elif shown.devices[port].kind == "vlan" or shown.devices[port].is_alias:
            wires |= set(shown.devices[port].below)
        else:
            wires.add(port)
    return wires


def _of_other_wans(shown: Shown, wan: str) -> Iterator[str]:
    """Networks besides the WAN that lead outwards: one of them is measured at a time."""
    others = {
        network.device: f"{network.name} ({network.device})"
        for network in shown.networks.values()
        if network.proto in OUTWARD and network.name != LAN and network.device in shown.devices
    }
    others = {at: name for at, name in others.items() if at not in (wan, shown.session)}
    if wan and others:
        first = next(iter(others))
        names = ", ".join(others.values())
        yield f"the box has more than one WAN: {names}; for that: --wan {first}"
