# SPDX-License-Identifier: Apache-2.0
"""The first boot of an official image of OpenWrt: the words on its serial line.

It comes up as 192.168.1.1, with nobody's key and no password, so the way in is its console. There
it gets the ports that our own image has from its first boot on (image/openwrt/shim), and our keys.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from gatemark.node.quoted import Script, joined, literal, shell
from gatemark.station.image.openwrt import files
from gatemark.station.qemu.console import Console
from gatemark.station.qemu.openwrt import LOADED_S

HOST_KEY: Final = "/etc/dropbear/dropbear_ed25519_host_key"
# OpenWrt's own dropbear looks for root's keys in the first place, any other in the second.
KEYS: Final = ("/etc/dropbear/authorized_keys", "/root/.ssh/authorized_keys")
PIECE: Final = 40  # bytes of a key in a command
TYPED: Final = 400  # bytes of commands in a line: OpenWrt's busybox reads lines of 512
SERVICES: Final = literal(
    "until [ -e /var/run/fw4.state ] && uci -q get network.lan > /dev/null; do sleep 1; done"
)
AND: Final = " && "
PORTS: Final = (
    literal("uci -q delete network.@device[0].ports; true"),
    literal("uci set network.@device[0].name=br-lan"),
    literal("uci set network.@device[0].type=bridge"),
    *(
        shell("uci add_list network.@device[0].ports={port}", port=port)
        for port in ("eth1", "eth3")
    ),
    literal("uci set network.lan.device=br-lan"),
    literal("uci set network.wan=interface"),
    literal("uci set network.wan.device=eth2"),
    literal("uci set network.wan.proto=static"),
    literal("uci -q delete network.wan6; true"),
)
# The last of its services runs this: after a restart nothing sets the network by itself from then.
KEPT: Final = (
    literal("printf 'touch /tmp/gatemark.booted\\n' > /etc/rc.local"),
    literal("uci commit"),
    literal("sync"),
)
STARTED: Final = (  # each takes a while
    literal("/etc/init.d/network restart"),
    literal("/etc/init.d/firewall restart > /dev/null 2>&1"),
    literal("/etc/init.d/dropbear restart"),
    literal("touch /tmp/gatemark.booted"),
)


async def boot(console: Console, host_key: bytes, public: str, within_s: float) -> None:
    """Log in and set it. Raises StationError with the line that failed."""
    await console.login(within_s)
    await console.type(SERVICES, LOADED_S)
    for line in (*_lines(_commands(host_key, public)), *STARTED):
        await console.type(line)


def _lines(commands: Iterable[Script]) -> Iterator[Script]:
    """Commands as few lines; in a line each is run if those before it succeeded."""
    line: list[Script] = []
    for command in commands:
        grouped = shell("{{ {command}; }}", command=command)
        if line and len(joined((*line, grouped), AND)) > TYPED:
            yield joined(line, AND)
            line = []
        line.append(grouped)
    yield joined(line, AND)


def _commands(host_key: bytes, public: str) -> Iterator[Script]:
    yield literal("mkdir -p /etc/dropbear /root/.ssh")
    yield shell("rm -f {file}", file=HOST_KEY)
    for at in range(0, len(host_key), PIECE):
        octal = "".join(f"\\{byte:03o}" for byte in host_key[at : at + PIECE])
        yield shell("printf {octal} >> {file}", octal=octal, file=HOST_KEY)
    yield shell("chmod 600 {file}", file=HOST_KEY)
    for file in KEYS:
        yield shell("echo {public} > {file} && chmod 600 {file}", public=public, file=file)
    yield from PORTS
    for line in files.shim("control").splitlines():
        if line.startswith("\t"):  # of its `uci batch`
            yield shell("uci {words}", words=line.split())
    yield from KEPT
