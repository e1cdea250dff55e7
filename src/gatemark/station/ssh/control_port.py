# SPDX-License-Identifier: Apache-2.0
"""A port for SSH alone: is there one, and which commands make one of a port of the LAN's."""

from itertools import count
from typing import Final, NamedTuple

from gatemark.error import UsageError
from gatemark.station.ssh import swconfig
from gatemark.station.ssh.ports import Shown
from gatemark.station.ssh.swconfig import Vlan

CONTROL: Final = "192.168.9.1"  # of a control port that OpenWrt's defaults do not use
PAGE: Final = "docs/openwrt.md"
# Both begin what NETWORK goes on with: a port of its own, with a network and a zone.
OUT_OF_BRIDGE: Final = """\
b=$(uci -X show network | sed -n "s/^network\\.\\([^.]*\\)\\.name='{bridge}'\\$/\\1/p")
uci -q del_list network.$b.ports='{device}'
"""
OUT_OF_BRIDGE_VLANS: Final = """\
for s in $(uci -X show network | sed -n 's/^network\\.\\([^.]*\\)=bridge-vlan$/\\1/p'); do
for p in $(uci -q get network.$s.ports); do
[ "${{p%%:*}}" = '{device}' ] && uci del_list network.$s.ports="$p"; done; done
"""
OUT_OF_VLAN: Final = """\
uci set network.{section}.ports='{kept}'
uci set network.control_vlan=switch_vlan
uci set network.control_vlan.device='{switch}'
uci set network.control_vlan.vlan='{number}'
uci set network.control_vlan.ports='{ports}'
"""
NETWORK: Final = """\
uci set network.control=interface
uci set network.control.device='{device}'
uci set network.control.proto='static'
uci set network.control.ipaddr='{address}/24'
uci set firewall.control=zone
uci set firewall.control.name='control'
uci add_list firewall.control.network='control'
uci set firewall.control.input='ACCEPT'
uci set firewall.control.output='ACCEPT'
uci set firewall.control.forward='REJECT'
uci commit; /etc/init.d/network reload; /etc/init.d/firewall reload"""


class CommandsError(UsageError):
    """It is fixed by several commands on the box: `commands`, to be pasted there."""

    def __init__(self, message: str, commands: str) -> None:
        super().__init__(message)
        self.commands = commands


class Socket(NamedTuple):
    """A socket of a switch that swconfig sets, in the LAN's VLAN."""

    vlan: Vlan
    port: str
    conduit: str  # the processor's device at the switch: eth0

    @property
    def kept(self) -> str:
        """The VLAN's ports without it, as uci has them."""
        return " ".join((*self.vlan.tagged, *(p for p in self.vlan.sockets if p != self.port)))


def require(shown: Shown, lan: str, wan: str) -> None:
    """The session comes in by neither of the test ports. Raises UsageError with the commands."""
    session = shown.session
    around = {session, *shown.ports_of(session)} if session else set()
    if wan and wan in around:
        raise UsageError(
            f"SSH comes in by {wan}, the WAN port, so it cannot be measured: reach the box by "
            "a port that is neither LAN nor WAN"
        )
    members = shown.ports_of(lan)
    if not around & {lan, *members}:
        return
    if shown.swconfig:
        raise _of_switch(shown, members)
    if shown.is_of_bridge(lan):
        raise _of_bridge_vlan(shown, lan, wan)
    if any(shown.devices[port].kind == "vlan" for port in members):
        raise _of_trunk(shown, members)
    if len(members) < 2:
        raise UsageError(
            f"SSH comes in by {session}, the only LAN port: reach the box by a third port, or by "
            "Wi-Fi, or name another LAN port: --lan"
        )
    raise _of_bridge(shown, lan, members)


def _of_bridge(shown: Shown, lan: str, members: tuple[str, ...]) -> CommandsError:
    port = next((port for port in reversed(members) if not shown.devices[port].carrier), "")
    port = port or members[-1]
    return CommandsError(
        f"SSH comes in by {shown.session}, which all LAN ports are in ({', '.join(members)}): "
        f"take {port} out of it, {_then(port)}",
        OUT_OF_BRIDGE.format(bridge=lan, device=port)
        + NETWORK.format(device=port, address=CONTROL),
    )


def _of_bridge_vlan(shown: Shown, lan: str, wan: str) -> UsageError:
    """A port that is in the LAN's VLAN alone leaves the bridge; rather one without a link."""
    bridge = shown.ground(lan)
    others = {m.port for m in shown.bridge_vlans if m.number != shown.devices[lan].vlan}
    others |= {outlet.port for outlet in shown.outlets(wan)} if shown.bridge_vlans else {"wan"}
    ports = [o.port for o in shown.outlets(lan) if not o.vlan and o.port not in others]
    if len(shown.outlets(lan)) < 2 or not ports:
        return UsageError(
            f"SSH comes in by {shown.session}, and no port of {bridge} is in its VLAN alone: reach "
            "the box by a port that is neither LAN nor WAN, or by Wi-Fi"
        )
    idle = [port for port in ports if not shown.devices[port].carrier]
    port = (idle or ports)[-1]
    return CommandsError(
        f"SSH comes in by {shown.session}, a VLAN of {bridge} (its ports: "
        f"{', '.join(o.port for o in shown.outlets(lan))}): take {port} out of {bridge}, "
        f"{_then(port)}",
        OUT_OF_BRIDGE.format(bridge=bridge, device=port)
        + OUT_OF_BRIDGE_VLANS.format(device=port)
        + NETWORK.format(device=port, address=CONTROL),
    )


def _of_trunk(shown: Shown, members: tuple[str, ...]) -> UsageError:
    """One socket carries all VLANs: SSH gets one more of them."""
    words = f"SSH comes in by {shown.session}, and the LAN's ports are VLANs"
    ground = next(filter(None, map(shown.ground, members)), "")
    if not ground:
        return UsageError(
            f"{words}: give a port a VLAN, a network and a zone of its own, for SSH alone"
        )
    taken = {device.vlan for device in shown.devices.values() if ground in device.below}
    number = next(number for number in count(swconfig.FIRST) if number not in taken)
    return CommandsError(
        f"{words} of {ground}: give SSH VLAN {number} of it, by the commands above; then give a "
        f"NIC of this PC that VLAN (ip link add link NIC name NIC.{number} type vlan id {number}; "
        f"ip link set NIC.{number} up; ip addr add {CONTROL[:-1]}2/24 dev NIC.{number}) and "
        f"introduce root@{CONTROL}",
        NETWORK.format(device=f"{ground}.{number}", address=CONTROL),
    )


def _of_switch(shown: Shown, members: tuple[str, ...]) -> UsageError:
    socket = _socket(shown, members)
    if not socket:
        return UsageError(
            f"SSH comes in by {shown.session}, and its ports are those of a switch that swconfig "
            f"sets: give one socket of it a VLAN and a network of its own ({PAGE} shows how)"
        )
    vlan, port, conduit = socket
    number = swconfig.unused(shown.vlans)
    words = OUT_OF_VLAN.format(
        section=vlan.section,
        kept=socket.kept,
        switch=vlan.switch,
        number=number,
        ports=" ".join((*vlan.tagged, port)),
    )
    device = f"{conduit}.{number}"
    where = f"its socket (there `swconfig dev {vlan.switch} port {port} get link` shows link:up)"
    return CommandsError(
        f"SSH comes in by {shown.session}, which all LAN sockets lead to (ports "
        f"{', '.join(vlan.sockets)} of {vlan.switch}): take port {port} out of it, {_then(where)}",
        words + NETWORK.format(device=device, address=CONTROL),
    )


def _socket(shown: Shown, members: tuple[str, ...]) -> Socket | None:
    """The LAN's last socket, rather one without a link; None where it is not plain which it is."""
    for member in members:
        conduit, _, number = member.rpartition(".")
        of_it = [vlan for vlan in shown.vlans if str(vlan.number) == number]
        if len(of_it) == 1 and shown.devices[member].below == (conduit,):
            (vlan,) = of_it
            idle = [p for p in vlan.sockets if (vlan.switch, p) in shown.unlinked]
            if vlan.tagged and len(vlan.sockets) > 1:
                return Socket(vlan, (idle or vlan.sockets)[-1], conduit)
    return None


def _then(where: str) -> str:
    return (
        f"for SSH alone, by the commands above; then plug this PC into {where}, give its NIC "
        f"{CONTROL[:-1]}2/24 and introduce root@{CONTROL}"
    )
