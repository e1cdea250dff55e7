# SPDX-License-Identifier: Apache-2.0
"""The feature `steering:TO` by OpenWrt's `packet_steering`, for the words that mean the same.

    softirq   0: no queue is steered; NAPI is not threaded
    all       2: every queue to every CPU

With 1 OpenWrt picks one CPU for each port, the one with the least to do by its own count. None of
the words means that, so the others are set in /sys, as on any Linux; a note of each trial says so.

OpenWrt steers the devices that a port is made of: the ports of a bridge, the device below a switch.
It steers all others of the box, too, so the undo gives back the queues of all.
"""

from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import openwrt, sysctl
from gatemark.gateway.changes import NOTHING
from gatemark.gateway.feature.asked import Asked
from gatemark.gateway.feature.port import steering
from gatemark.node.quoted import joined, literal, sh, shell

VALUES: Final = {"softirq": "0", "all": "2"}
# The section that its service reads, where both are there.
SECTION: Final = literal(
    "[ ! -x /etc/init.d/packet_steering ] || "
    "uci -q -X show network.@globals[0] | sed -n 's/^network\\.\\(.*\\)=globals$/\\1/p'"
)
LOWEST: Final = """
lowest() {{
  for below in /sys/class/net/"$1"/lower_*; do
    [ -e "$below" ] || {{ echo "$1"; return; }}
    lowest "${{below##*/lower_}}"
  done
}}
for port in {ports}; do lowest "$port"; done
"""
QUEUES: Final = "/sys/class/net/{device}/queues/rx-*/rps_cpus"
ALL: Final = literal(
    "/sys/class/net/*/queues/rx-*/rps_cpus /sys/class/net/*/queues/rx-*/rps_flow_cnt"
)
RELOAD: Final = literal("/etc/init.d/packet_steering reload")
SET: Final = f"uci set network.{{section}}.{openwrt.STEERING}={{value}}"
REVERT: Final = f"uci -q revert network.{{section}}.{openwrt.STEERING} || true"


async def apply(asked: Asked) -> None:
    """Stage it, reload its service, and read the queues."""
    (to,) = asked.arguments
    gateway, value = asked.gateway, VALUES.get(to, "")
    section = (await gateway.run(*sh(SECTION))).strip()
    if not value or not section:
        why = f"no packet_steering means {to}" if section else "the box has no packet_steering"
        asked.notes.append(f"steering is set in /sys: {why}")
        await steering.apply(asked)
        return
    cpus = steering.online(await gateway.run("cat", steering.ONLINE))
    if to == "all" and len(cpus) < 2:
        raise UnavailableError(steering.ONE_CPU)
    await openwrt.require_unstaged(gateway, "network", (openwrt.STEERING,))
    devices = (await gateway.run(*sh(shell(LOWEST, ports=asked.ports)))).split()
    await _stage(asked, section, value, devices)
    await _require(asked, devices, f"packet_steering = {value}", cpus if to == "all" else [])
    asked.notes.append(f"steering is set by packet_steering = {value}")


async def _stage(asked: Asked, section: str, value: str, devices: list[str]) -> None:
    """The undo reloads the service for its threads' CPUs, and writes back each queue."""
    gateway, changes = asked.gateway, asked.changes
    before = sysctl.lines(await sysctl.read(gateway, ALL))
    await changes.make(NOTHING, undo=joined((RELOAD, before)))
    threads = {f"/sys/class/net/{device}/threaded": "0" for device in devices}
    await sysctl.write(gateway, changes, threads)
    revert = shell(REVERT, section=section)
    staged = shell(SET, section=section, value=value)
    await changes.make(joined((staged, RELOAD)), undo=revert)


async def _require(asked: Asked, devices: list[str], means: str, cpus: list[int]) -> None:
    """Raise UnavailableError where a queue is not steered as meant."""
    patterns = joined((shell(QUEUES, device=device) for device in devices), " ")
    masks = await sysctl.read(asked.gateway, patterns)
    if cpus and not masks:
        raise UnavailableError(steering.NO_RPS)
    for path, mask in masks.items():
        if not steering.is_same(mask, steering.mask(cpus)):
            raise UnavailableError(f"{means} leaves {mask} in {path}, which is otherwise meant")
