# SPDX-License-Identifier: Apache-2.0
"""A machine of its own, made of namespaces: all that a program leaves on it can be listed.

It has its own network, names of namespaces and pins, and empty shared folders. Its processes are
those that its first process began, and theirs: a lab finds threads of the kernel in /proc, so that
is the host's. Twenty of them stand beside each other.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from command import environment

from gatemark.node import leftover
from gatemark.station.recover import NAME

SOURCE: Final = Path(__file__).resolve().parents[3]
SHARED: Final = ("/run", "/tmp", "/var/tmp", "/dev/shm")  # noqa: S108
HOME: Final = Path("/mnt")  # what a user keeps
# Locks and their folders, which stay: they are free, and the next start takes them.
STAY: Final = {
    *(Path("/run/gatemark") / name for name in ("", "machine.lock", "threads.lock")),
    Path("/run/netns"),
}
PINS: Final = Path("/sys/fs/bpf")
UNSHARE: Final = ("unshare", "--mount", "--net", "--ipc")
CHILD_SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER, linux/prctl.h


def words(module: str, *more: str) -> list[str]:
    """The command line that runs a module as the first process of such a machine."""
    return [*UNSHARE, sys.executable, "-m", module, *more]


def own() -> dict[str, str]:
    """The environment for `words`."""
    tests = SOURCE / "tests"
    path = f"{SOURCE / 'src'}:{tests}:{SOURCE / 'classifier' / 'tests'}"
    return environment({"PYTHONPATH": path, "HOME": str(HOME), "XDG_STATE_HOME": str(HOME / "s")})


def furnish() -> None:
    """Mount its folders and bring its loopback up; once, in its first process.

    From then on whatever loses its parent is a child of that process.
    """
    ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1)
    kept = HOME / "source"
    _run("mount", "-t", "tmpfs", "machine", str(HOME))
    kept.mkdir()
    _run("mount", "--rbind", str(SOURCE), str(kept))
    for place in SHARED:
        _run("mount", "-t", "tmpfs", "machine", place)
    if any(SOURCE.is_relative_to(place) for place in SHARED):
        SOURCE.mkdir(parents=True)
        _run("mount", "--rbind", str(kept), str(SOURCE))
    Path("/run/lock").mkdir()
    os.chdir(HOME)
    _run("mount", "-t", "sysfs", "machine", "/sys")  # of this network
    _run("mount", "-t", "bpf", "machine", str(PINS))
    _run("ip", "link", "set", "lo", "up")


def state() -> set[str]:
    """A line for each file in shared folders, process, pin, device, rule, qdisc and filter."""
    return {*_files(), *processes().values(), *_network("")} | {
        line for name in _labs() for line in _network(name)
    }


def processes() -> dict[int, str]:
    """Command lines of what this process began, and of what that did, by pid; without zombies."""
    lines, parents = {}, [os.getpid()]
    while parents:
        for pid in _children(parents.pop()):
            parents.append(pid)
            if leftover.lives(pid) and (text := _read(f"/proc/{pid}/cmdline")):
                lines[pid] = f"process {text.replace(chr(0), ' ')}"
    return lines


def end() -> None:
    """Kill all of its processes."""
    while pids := processes():
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    """Those of all its threads."""
    texts = [_read(f"{task}/children") for task in Path(f"/proc/{pid}/task").glob("*")]
    return [int(word) for text in texts for word in text.split()]


def _read(path: str) -> str:
    """Nothing where its process has gone."""
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def below(place: str | Path) -> list[Path]:
    """Files and folders; those that go meanwhile are passed over, which rglob() does not."""
    return [
        Path(folder, name) for folder, *names in os.walk(place) for name in (*names[0], *names[1])
    ]


def _files() -> Iterator[str]:
    for place in (*SHARED, PINS):
        for path in below(place):
            is_source = path.is_relative_to(SOURCE) or SOURCE.is_relative_to(path)
            if not is_source and path not in STAY:
                yield f"file {path}"


def _labs() -> list[str]:
    place = Path("/run/netns")
    return [path.name for path in place.glob("*") if NAME.fullmatch(path.name)]


def _network(name: str) -> Iterator[str]:
    """The same of a namespace, or of this one."""
    before = ("ip", "netns", "exec", name) if name else ()
    links = [line.split()[0] for line in _lines(*before, "ip", "-br", "link")]
    rules = [line for line in _lines(*before, "nft", "-s", "list", "ruleset") if line]
    for line in (*links, *rules, *_lines(*before, "tc", "qdisc")):
        yield f"{name} {line}"
    for link in links:
        device = link.partition("@")[0]
        for way in ("ingress", "egress"):
            for line in _lines(*before, "tc", "filter", "show", "dev", device, way):
                yield f"{name} {device} {line}"


def _lines(*command: str) -> list[str]:
    """Nothing of a namespace that has gone meanwhile."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines()


def _run(*command: str) -> None:
    subprocess.run(command, check=True)
