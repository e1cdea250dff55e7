# SPDX-License-Identifier: Apache-2.0
"""A gateway that lies about itself, before real shells: nothing of what it prints is run.

The gateway is this machine's own shell with a `cat` and an `ip` that print what they like; the
tester's hosts are real shells in network namespaces of their own.
"""

import asyncio
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

from gatemark.error import GatemarkError, NodeError
from gatemark.gateway import switch
from gatemark.gateway.changes import Changes
from gatemark.gateway.wan import wan
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Local
from gatemark.station.load import load
from gatemark.station.ssh import control
from gatemark.station.ssh.box import Box
from gatemark.station.ssh.side import Far
from gatemark.station.wiring import Gateway

STATION = """schema = "gatemark.station/1"
[gateway]
kind = "ssh"
address = "root@192.0.2.1"
lan = "lo"
wan = "lo"
[lan]
kind = "ssh"
address = "root@192.0.2.2"
nic = "lo"
[wan]
kind = "ssh"
address = "root@192.0.2.3"
nic = "lo"
"""


OBSERVED = STATION.replace('wan = "lo"', 'wan = "lo"\nset = "observe"').replace(
    'nic = "lo"', 'nic = "lo"\nipv4 = "192.0.2.8/24"'
)


class Alone(Local):
    """A host: a shell in a network namespace of its own, each time anew."""

    def argv(self, *command: str) -> tuple[str, ...]:
        return ("unshare", "--net", *command)

    async def close(self) -> None:
        """It was never logged in to."""


@dataclass(frozen=True, slots=True)
class Lying(Local):
    """A gateway whose programs in `folder` print what they like."""

    folder: Path = Path()
    told: tuple[str, ...] = ()  # variables of its environment

    def argv(self, *command: str) -> tuple[str, ...]:
        return ("env", f"PATH={self.folder}:/usr/sbin:/usr/bin:/sbin:/bin", *self.told, *command)


def plant(folder: Path, printed: str, tool: str) -> Path:
    """A folder with a program that prints this, whatever it is asked."""
    (folder / "bin").mkdir()
    program = folder / "bin" / tool
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' {shlex.quote(printed)}\n")
    program.chmod(0o700)
    return folder / "bin"


def bench(folder: Path, printed: str, tool: str, text: str = STATION) -> Box:
    """A station whose gateway prints this by a tool, before hosts that are real."""
    (folder / "bench.toml").write_text(text)
    station = load(str(folder / "bench.toml"))
    assert isinstance(station, Box)
    assert isinstance(station.sides, Far)
    station.sides.hosts = {end: cast(Ssh, Alone(f"{end} host")) for end in ("lan", "wan")}
    station.box = cast(Ssh, Lying("gateway", plant(folder, printed, tool)))
    return station


def refused(station: Box) -> str:
    """Why the station could not be wired; what was set is given back."""

    async def wired() -> str:
        try:
            await station._wire()
        except GatemarkError as error:
            return str(error)
        finally:
            await station.sides.down()
        return ""

    return asyncio.run(wired())


@pytest.mark.parametrize("mac", ["02:00:00:00:00:01; touch {} #", "02:00:00:00:00:01\ntouch {} #"])
def test_a_mac_address_runs_nothing_on_a_host(tmp_path: Path, mac: str) -> None:
    planted = tmp_path / "planted"
    why = refused(bench(tmp_path, mac.format(planted), "cat"))
    assert not planted.exists()
    assert "gateway: '02:00:00:00:00:01" in why
    assert "is no MAC address" in why


def test_an_address_of_a_gateway_that_is_taken_as_it_is_runs_nothing(tmp_path: Path) -> None:
    planted = tmp_path / "planted"
    own = f"1: lo inet 192.0.2.1$(touch${{IFS}}{planted})/24 scope global lo"
    station = bench(tmp_path, own, "ip", OBSERVED)
    why = refused(station)
    assert not planted.exists()
    assert "gateway: '192.0.2.1$(touch${IFS}" in why
    assert "is no address/length" in why


def test_the_device_that_ssh_comes_in_by_runs_nothing(tmp_path: Path) -> None:
    """The gateway tells the client's address, which we ask it the way to."""
    planted = tmp_path / "planted"
    ends = f"SSH_CONNECTION=127.0.0.1$(touch${{IFS}}{planted}) 1 127.0.0.1 22"
    gateway = Lying("gateway", plant(tmp_path, "1: lo inet 127.0.0.1/8 lo", "ip"), (ends,))
    with pytest.raises(NodeError, match=r"gateway: '127.0.0.1.* is no IP address"):
        asyncio.run(control.require_apart(gateway, ["eth9"]))
    assert not planted.exists()


@pytest.mark.parametrize(
    "neighbour",
    ["192.0.2.9 lladdr 02:00:00:00:00:01;id PERMANENT", "`id` lladdr 02:00:00:00:00:01 PERMANENT"],
)
def test_what_a_gateway_calls_its_neighbours_is_checked(tmp_path: Path, neighbour: str) -> None:
    gateway = Gateway(Lying("gateway", plant(tmp_path, neighbour, "ip")), {"gw1": "lo"})
    with pytest.raises(NodeError, match=r"gateway: .* is no (MAC|IP) address"):
        asyncio.run(wan(gateway))


def test_what_a_gateway_calls_its_bridge_is_checked(tmp_path: Path) -> None:
    gateway = Gateway(
        Lying("gateway", plant(tmp_path, "/sys/br0;id", "readlink")), {"gw0": "lo", "gw2": "lo"}
    )
    with pytest.raises(NodeError, match=r"gateway: 'br0;id' is no device's name"):
        asyncio.run(switch.apply(gateway, Changes(gateway.node)))
