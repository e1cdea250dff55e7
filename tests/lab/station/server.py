# SPDX-License-Identifier: Apache-2.0
"""An SSH server in a namespace: the whole of this system, by dropbear, with a home of its own.

A box of busybox alone is in device.py; a tester's host has iproute2 and ethtool besides.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.station import played
from lab.station.device import new_key
from lab.station.played import Played

PORT = 2222
PATIENCE_S = 60.0

# Root's home, /run and /tmp are its own, so nothing of the machine's is read or written there.
SERVE = f"""
mount -t tmpfs -o mode=700 home /root && mkdir -m 700 /root/.ssh
cp "$1/key.pub" /root/.ssh/authorized_keys; cp "$1/host" "$1/rsa" /root/
chmod 600 /root/.ssh/authorized_keys; mount -t tmpfs run /run
eval "$2"
mount -t tmpfs tmp /tmp
cd / && exec dropbear -F -E -P /run/pid -r /root/host -r /root/rsa -p {PORT}
"""
# Ends with the test, however that ends; then whatever is left there ends, also what was stopped.
GUARD = """cat; kill -KILL $(ip netns pids "$1")"""


def keys(folder: Path) -> None:
    """A user's key, a host's key, and the line that knows the host by every address."""
    new_key(folder / "key")
    output = _said("dropbearkey", "-t", "ed25519", "-f", str(folder / "host"))
    line = next(line for line in output.splitlines() if line.startswith("ssh-"))
    # dropbear 2022.83 offers RSA whether it has such a key or not, and dies where it is taken.
    _said("dropbearkey", "-t", "rsa", "-s", "1024", "-f", str(folder / "rsa"))
    (folder / "known").write_text(f"* {' '.join(line.split()[:2])}\n")


@contextmanager
def serving(namespace: str, folder: Path, first: str = "") -> Iterator[None]:
    """A server in a namespace, by the keys of a folder; `first` is run among its own mounts."""
    inside = ("ip", "netns", "exec", namespace)
    guard = subprocess.Popen(
        ["sh", "-c", GUARD, "guard", namespace],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    server = subprocess.Popen(
        [*inside, "unshare", "-m", "sh", "-ec", SERVE, "server", str(folder), first],
        stdout=subprocess.DEVNULL,
        stderr=(folder / f"{namespace}.log").open("wb"),
    )
    try:
        until = time.monotonic() + PATIENCE_S
        while f":{PORT}" not in _said(*inside, "ss", "-ltn"):
            assert time.monotonic() < until, (folder / f"{namespace}.log").read_text()
            time.sleep(0.02)
        yield
    finally:
        guard.communicate()
        server.wait()


@contextmanager
def listening(folder: Path) -> Iterator[Played]:
    """A played host whose gateway is such a server, by the keys of a folder."""
    with played.host() as host, serving(host.gateway, folder):
        yield host


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
