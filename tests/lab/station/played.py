# SPDX-License-Identifier: Apache-2.0
"""A namespace that plays the host of a laboratory, with NICs and a /run of its own.

     the host (gm-ID-lan)         the gateway (gm-ID-gw)
    +----------------+           +---------------+
    |         enp3s0 |-----------| eth0          |   test ports
    |         enp4s0 |-----------| eth1          |
    |         ctl-gw |-----------| ctl0          |   control path
    +----------------+           +---------------+

With `far` the NICs are those of two further hosts, gm-ID-lan2 and gm-ID-wan, each with a control
path of its own.

What runs in it sees these NICs alone, and namespaces that it makes have names in its own /run, so
they end with it.
"""

import secrets
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from command import environment

from gatemark.station import lock, space

# Each end's host and device; the control paths' first ends have .1 of a network, the others .2.
NEAR = (("lan", "enp3s0", "gw", "eth0"), ("lan", "enp4s0", "gw", "eth1"))
FAR = (("lan2", "enp3s0", "gw", "eth0"), ("wan", "enp4s0", "gw", "eth1"))
CONTROL = {"gw": "198.18.200", "lan2": "198.18.201", "wan": "198.18.202"}
# Until the test that holds its stdin ends, however long that takes.
OWN_RUN = "mount -t tmpfs played /run && mkdir /run/lock && echo ready && exec cat"


@dataclass(frozen=True, slots=True)
class Played:
    """The host, by the process that keeps its namespaces, and its gateway's namespace."""

    keeper: int
    names: Mapping[str, str]  # of the namespaces: gw; with `far` also lan2 and wan

    @property
    def gateway(self) -> str:
        """The gateway's namespace."""
        return self.names["gw"]

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

    def on(self, short: str, *command: str) -> str:
        """Run a command in the namespace of another host."""
        argv = ["ip", "netns", "exec", self.names[short], *command]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


@contextmanager
def host(*, far: bool = False) -> Iterator[Played]:
    """A played host with its gateway, for as long as the context lasts."""
    lab = secrets.token_hex(3)
    nodes = space.spaces(lab, ("lan", "gw", "lan2", "wan") if far else ("lan", "gw"))
    with lock.named(lab, "test"):
        space.create(nodes)
        names = {short: node.netns for short, node in nodes.items()}
        keeper = subprocess.Popen(
            ["ip", "netns", "exec", names["lan"], "unshare", "-m", "sh", "-ec", OWN_RUN],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            assert keeper.stdout is not None
            assert keeper.stdout.readline() == b"ready\n"
            _cable(names, FAR if far else NEAR)
            yield Played(keeper.pid, names)
        finally:
            keeper.kill()
            keeper.wait()
            space.remove(nodes)


def _cable(names: Mapping[str, str], cables: Iterable[tuple[str, str, str, str]]) -> None:
    control = [(short, f"ctl-{short}") for short in CONTROL if short in names]
    every = [*cables, *(("lan", device, short, "ctl0") for short, device in control)]
    for near, device, far, peer in every:
        _ip(names[near], f"link add {device} type veth peer name {peer} netns {names[far]}")
    for near, device, far, peer in every:
        _ip(names[near], f"link set {device} up")
        _ip(names[far], f"link set {peer} up")
    for short, device in control:
        _ip(names["lan"], f"addr add {CONTROL[short]}.1/24 dev {device}")
        _ip(names[short], f"addr add {CONTROL[short]}.2/24 dev ctl0")


def _ip(name: str, line: str) -> None:
    subprocess.run(["ip", "-n", name, *line.split()], check=True)
