# SPDX-License-Identifier: Apache-2.0
"""A box to test with: busybox and dropbear in a namespace, and one more to jump from.

     tester (lan)              jump host (wan)          device (gw)
    +------------+            +----------------+       +---------+
    |         t0 |------------| j0          j1 |-------| d1      |
    |         t1 |------------------------------------| d0      |
    +------------+            +----------------+       +---------+

Each box has a root of its own: files of a folder that is removed, seen by its processes alone. A
box is a PID namespace: who ends its first process has pulled its plug.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import asyncssh
from pyroute2 import IPRoute

from gatemark.node.remote.login import Address, Login
from gatemark.node.shell import Namespace
from gatemark.station import lock, space
from gatemark.station.process import end_processes
from gatemark.station.recover import recover

PORT = 2222
PASSWORD = "sesame"
ADDRESS = {  # RFC 5737
    "t0": "192.0.2.1/30",
    "j0": "192.0.2.2/30",
    "t1": "192.0.2.5/30",
    "d0": "192.0.2.6/30",
    "j1": "192.0.2.9/30",
    "d1": "192.0.2.10/30",
}
LINKS = (("lan", "t0", "wan", "j0"), ("lan", "t1", "gw", "d0"), ("wan", "j1", "gw", "d1"))
PATIENCE_S = 60.0  # of a machine with other work

# Inside: its own mounts, then dropbear as the first process, in the foreground, with its log.
BOOT = f"""
mount -t proc proc "$0/proc" && mount -t tmpfs -o size=4m tmpfs "$0/tmp" || exit 1
exec chroot "$0" /dropbear -F -E -P /tmp/pid -r /key -r /rsa -p {PORT}
"""


@dataclass(slots=True)
class Box:
    """A busybox with dropbear in a namespace."""

    node: Namespace
    root: Path
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def build(self, authorized: str) -> None:
        """Make its files; a box without the right key and password lets nobody in."""
        for folder in ("bin", "proc", "tmp", "dev", "root/.ssh", "etc"):
            (self.root / folder).mkdir(parents=True)
        self.root.chmod(0o755)
        (self.root / "root").chmod(0o700)
        (self.root / "dev/null").touch()
        os.mknod(self.root / "dev/urandom", 0o600 | 0o020000, os.makedev(1, 9))
        shutil.copy(_program("busybox"), self.root / "bin/busybox")
        for name in said("busybox", "--list").split():
            if name != "busybox":
                (self.root / "bin" / name).symlink_to("busybox")
        self._copy_dropbear()
        hashed = said("busybox", "mkpasswd", "-m", "sha512", PASSWORD, "salt").strip()
        self.write("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
        self.write("etc/shadow", f"root:{hashed}:19000:0:99999:7:::\n", 0o600)
        self.write("root/.ssh/authorized_keys", authorized, 0o600)
        self.new_key()
        # dropbear 2022.83 offers RSA whether it has such a key or not, and dies where it is taken.
        said("dropbearkey", "-t", "rsa", "-s", "1024", "-f", str(self.root / "rsa"))

    def write(self, name: str, text: str, mode: int = 0o644) -> None:
        """A file of it."""
        (self.root / name).write_text(text)
        (self.root / name).chmod(mode)

    def new_key(self) -> None:
        """Give it a host key, as flashing it anew does."""
        key = self.root / "key"
        key.unlink(missing_ok=True)
        said("dropbearkey", "-t", "ed25519", "-f", str(key))

    def known(self, address: str) -> str:
        """Its line of a known_hosts file."""
        lines = said("dropbearkey", "-y", "-f", str(self.root / "key")).splitlines()
        line = next(line for line in lines if line.startswith("ssh-"))
        return f"[{address}]:{PORT} {' '.join(line.split()[:2])}\n"

    def start(self) -> None:
        """Switch it on, and wait until dropbear listens."""
        inside = ("unshare", "--pid", "--fork", "--kill-child", "sh", "-c", BOOT, str(self.root))
        log = (self.root.parent / f"{self.root.name}.log").open("ab")
        with log:
            self.process = subprocess.Popen(self.node.argv(*inside), stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE_S
        while f":{PORT}" not in said(*self.node.argv("ss", "-ltn")):
            assert time.monotonic() < until, f"{self.node.name}: dropbear does not listen"
            time.sleep(0.02)

    def stop(self) -> None:
        """Pull its plug."""
        if self.process:
            self.process.kill()
            self.process.wait()
        end_processes(self.node.netns)

    def deaf(self) -> None:
        """Let nothing in or out of it any more, and say so to nobody."""
        rules = "table inet deaf { chain in { type filter hook prerouting priority 0; drop; }; }"
        said(*self.node.argv("nft", rules))

    def hearing(self) -> None:
        """Let it hear again."""
        said(*self.node.argv("nft", "delete table inet deaf"))

    def _copy_dropbear(self) -> None:
        """With its libraries, where it seeks them."""
        program = _program("dropbear")
        shutil.copy(program, self.root / "dropbear")
        for word in said("ldd", program).split():
            if word.startswith("/"):
                there = self.root / word.lstrip("/")
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(word, there)


@dataclass(frozen=True, slots=True)
class Desk:
    """A device, a jump host, and the tester's namespace in front of them."""

    tester: str
    device: Box
    jump: Box
    folder: Path

    def login(self, jump: bool = False, **other: object) -> Login:
        """By the right key to a device that is known, unless said otherwise."""
        host = ADDRESS["d1" if jump else "d0"].split("/")[0]
        over = Address(ADDRESS["j0"].split("/")[0], "root", PORT) if jump else None
        usual = {"key": self.folder / "key", "known_hosts": self.folder / "known", "jump": over}
        return Login(Address(host, "root", PORT), **{**usual, **other})  # type: ignore[arg-type]

    def learn(self) -> None:
        """Know both by the keys that they have now."""
        lines = [self.device.known(ADDRESS[name].split("/")[0]) for name in ("d0", "d1")]
        lines.append(self.jump.known(ADDRESS["j0"].split("/")[0]))
        (self.folder / "known").write_text("".join(lines))


@contextmanager
def desk(folder: Path) -> Iterator[Desk]:
    """Both boxes switched on; gone at the end with all that is theirs."""
    recover()
    lab = token_hex(3)
    hosts = space.spaces(lab, ("lan", "gw", "wan"))
    new_key(folder / "key")
    with lock.named(lab, "test"):
        device, jump = Box(hosts["gw"], folder / "device"), Box(hosts["wan"], folder / "jump")
        try:
            space.create(hosts)
            _link(hosts)
            for box in (device, jump):
                box.build((folder / "key.pub").read_text())
                box.start()
            made = Desk(hosts["lan"].netns, device, jump, folder)
            made.learn()
            yield made
        finally:
            for box in (device, jump):
                with suppress(OSError):
                    box.stop()
            space.remove(hosts)


def _link(hosts: dict[str, Namespace]) -> None:
    for near_host, near, far_host, far in LINKS:
        ends = {near: hosts[near_host].netns, far: hosts[far_host].netns}
        with IPRoute(netns=ends[near]) as end:
            peer = {"ifname": far, "net_ns_fd": ends[far]}
            end.link("add", ifname=near, kind="veth", peer=peer)
        for device, place in ends.items():
            with IPRoute(netns=place) as end:
                index = end.link_lookup(ifname=device)[0]
                address, _, length = ADDRESS[device].partition("/")
                end.link("set", index=index, state="up")
                end.addr("add", index=index, address=address, prefixlen=int(length))


def new_key(path: Path) -> None:
    """A key to log in with: PATH, and PATH.pub."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_private_key(path)
    key.write_public_key(f"{path}.pub")


def _program(name: str) -> str:
    path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert path, f"no {name}: setup/install test"
    return path


def said(*command: str) -> str:
    """What a command prints; it has to succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout
