# SPDX-License-Identifier: Apache-2.0
"""A place for one end of an application, in namespaces of its own, of which nothing is left.

    lab -> setpriv (ends with the lab) -> unshare (processes, mounts) -> our program, process 1

The kernel ends all processes of the namespace with its first (pid_namespaces(7)). What they write
is in a memory file system that only they see, and goes with them.
"""

import ctypes
import fcntl
import os
import resource
import socket
import struct
import sys
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node import nobody
from gatemark.node.isolated import OURS

ALONE: Final = (
    *("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork"),
    *("--kill-child", "--mount-proc"),
)
PLACES: Final = ("/mnt", "/media", "/srv", "/opt")  # of the file hierarchy standard, mostly empty
SIZE: Final = "384m"  # of all that an end may write
FILE_BYTES: Final = 256 << 20  # of a file
DATA_BYTES: Final = 6 << 30  # of a program's memory; a browser reserves much of it
PROCESSES: Final = 2000
SIOCSIFFLAGS: Final = 0x8914  # netdevice(7)
IFF_UP: Final = 1
MS_BIND: Final = 0x1000
UNPRIVILEGED: Final = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
SHELL: Final = "/bin/sh"
TMP: Final = Path("/tmp")  # noqa: S108  a mount point


def folder() -> Path:
    """Mount a memory file system for this process and its children; returns where.

    Raises UnavailableError where no place is left for it.
    """
    used = (OURS, sys.prefix, sys.base_prefix)
    free = (Path(p) for p in PLACES if Path(p).is_dir() and not any(u.startswith(p) for u in used))
    if (place := next(free, None)) is None:
        raise UnavailableError(f"no folder to work in: one of {', '.join(PLACES)} must be there")
    _mount("tmpfs", place, "tmpfs", 0, f"size={SIZE},mode=1777")
    return place


def enter(place: Path) -> str:
    """Make what runs from here on an ordinary user of this host; returns its name.

    It may use ports below 1024, as services do; it has a shell, which sshd asks for.
    """
    UNPRIVILEGED.write_text("0", encoding="ascii")
    user = os.geteuid() if os.geteuid() or not nobody.is_there() else nobody.NOBODY
    _to_itself()
    home = place / "home"
    home.mkdir()
    os.chown(home, user, user)
    name = "player" if user else "root"  # sshd takes `nobody` for a locked account
    passwd = place / "passwd"
    passwd.write_text(f"{name}:x:{user}:{user}::{home}:{SHELL}\n", encoding="ascii")
    _mount(str(passwd), Path("/etc/passwd"), "", MS_BIND, "")
    _own(home)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ |= {"HOME": str(home), "TMPDIR": str(home), "USER": name, "LANG": "C.UTF-8"}
    os.chdir(home)
    return name


def _to_itself() -> None:
    """Let this host reach its own address, as a call's page does on the host that serves it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ours:
        fcntl.ioctl(ours, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))


def _own(home: Path) -> None:
    """Have /tmp be of this place alone, where X servers lay their locks; what we are of stays."""
    ours = {path for path in (OURS, sys.prefix, sys.base_prefix) if Path(path).is_relative_to(TMP)}
    kept = {path: os.open(path, os.O_PATH) for path in ours}
    _mount(str(home), TMP, "", MS_BIND, "")
    for path, descriptor in kept.items():
        Path(path).mkdir(parents=True, exist_ok=True)
        _mount(f"/proc/self/fd/{descriptor}", Path(path), "", MS_BIND, "")
        os.close(descriptor)


def _mount(source: str, target: Path, kind: str, flags: int, data: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = (source.encode(), bytes(target), kind.encode(), flags, data.encode())
    if libc.mount(*words):
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error), str(target))
