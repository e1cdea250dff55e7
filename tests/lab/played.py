# SPDX-License-Identifier: Apache-2.0
"""A namespace that plays the host of a laboratory, with NICs and a /run of its own.

     the host (gm-ID-lan)         the gateway (gm-ID-gw)
    +----------------+           +---------------+
    |         enp3s0 |-----------| eth0          |   test ports
    |         enp4s0 |-----------| eth1          |
    |           ctl0 |-----------| ctl0          |   control path
    +----------------+           +---------------+

What runs in it sees these NICs alone, and namespaces that it makes have names in its own /run, so
they end with it.
"""

import secrets
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from command import environment

from gatemark.station import lock, space

NICS = {"enp3s0": "eth0", "enp4s0": "eth1", "ctl0": "ctl0"}
CONTROL = {"host": "198.18.200.1", "gateway": "198.18.200.2"}
OWN_RUN = "mount -t tmpfs played /run && mkdir /run/lock && echo ready && exec sleep 600"


@dataclass(frozen=True, slots=True)
class Played:
    """The host, by the process that keeps its namespaces, and its gateway's namespace."""

    keeper: int
    gateway: str

    def words(self, *command: str | Path) -> list[str]:
        """The command line that runs a command on the host."""
        return ["nsenter", "-t", str(self.keeper), "-n", "-m", *map(str, command)]

    def run(self, *command: str | Path, fails: bool = False) -> str:
        """Run a command on the host: what it printed, on both streams where it has to fail."""
        done = subprocess.run(
            self.words(*command), capture_output=True, text=True, check=False, env=environment()
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + (done.stderr if fails else "")

    def python(self, code: str, *asked: str) -> "subprocess.Popen[str]":
        """Start Python on the host, with pipes."""
        return subprocess.Popen(
            self.words(sys.executable, "-c", code, *asked),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )

    def on_gateway(self, *command: str) -> str:
        """Run a command in the gateway's namespace."""
        argv = ["ip", "netns", "exec", self.gateway, *command]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


@contextmanager
def host() -> Iterator[Played]:
    """A played host with its gateway, for as long as the context lasts."""
    lab = secrets.token_hex(3)
    nodes = space.spaces(lab, ("lan", "gw"))
    with lock.named(lab, "test"):
        space.create(nodes)
        mine, gateway = nodes["lan"].netns, nodes["gw"].netns
        keeper = subprocess.Popen(
            ["ip", "netns", "exec", mine, "unshare", "-m", "sh", "-ec", OWN_RUN],
            stdout=subprocess.PIPE,
        )
        try:
            assert keeper.stdout is not None
            assert keeper.stdout.readline() == b"ready\n"
            _cable(mine, gateway)
            yield Played(keeper.pid, gateway)
        finally:
            keeper.kill()
            keeper.wait()
            space.remove(nodes)


def _cable(mine: str, gateway: str) -> None:
    lines = [
        f"link add {ours} type veth peer name {its} netns {gateway}" for ours, its in NICS.items()
    ]
    _batch(mine, [*lines, f"addr add {CONTROL['host']}/24 dev ctl0", *_all_up(NICS)])
    _batch(gateway, [f"addr add {CONTROL['gateway']}/24 dev ctl0", *_all_up(NICS.values())])


def _all_up(devices: Iterable[str]) -> list[str]:
    return [f"link set {device} up" for device in (*devices, "lo")]


def _batch(name: str, lines: list[str]) -> None:
    argv = ["ip", "-n", name, "-batch", "-"]
    subprocess.run(argv, input="\n".join(lines) + "\n", text=True, check=True)
