# SPDX-License-Identifier: Apache-2.0
"""Folders that every user may write into: nothing that is planted there is followed, run, deleted.

Every way to plant something is held against the functions that all scripts use, in each shell. Then
each name that a script looks for is planted, so that a script that does not ask them is found. The
kernel follows links in these folders, as with `fs.protected_symlinks` 0.
"""

import asyncio
import os
import re
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from gatemark.error import NodeError
from gatemark.gateway import attached, journal
from gatemark.gateway.journal import Journal
from gatemark.node import leftover, shared
from gatemark.node.quoted import Script, literal, shell, word
from gatemark.node.remote import lease, push
from gatemark.node.script import WHOLE, script
from gatemark.node.shell import Local
from gatemark.station.ssh import ports

SOURCE: Final = Path(shared.__file__).parents[1]
NOBODY: Final = 65534
BOOT: Final = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
SHELLS: Final = ["dash", "busybox sh", pytest.param("bash", marks=pytest.mark.long)]
PLACES: Final = re.compile(r"/(?:var/tmp|tmp|dev/shm|run)(?=[ ;|/\n])")

# Where scripts name such a folder, and what each looks for in it: `fresh` makes a new name. A guest
# of ours (station/image, station/qemu) has no other user.
GUESTS: Final = ("station/image", "station/qemu")
MENTION: Final = re.compile(r"/tmp\b|/dev/shm\b")  # noqa: S108
LOOKS_FOR: Final = re.compile(
    r"""(?:/tmp|/dev/shm|\$place"?|\{(?:DEVICE_FOLDER|place)\}|\bplace(?: / |\.glob\()f?")"""
    r"""/?([\w$\{][^\s;,"')]*)"""
)
KNOWN: Final[Mapping[str, set[str]]] = {
    "gateway/attach.sh": {"$name"},
    "gateway/attach_clear.sh": {"$name"},
    "gateway/detach.sh": {"$name"},
    "gateway/feature/program/capture.py": set(),  # a comment
    "gateway/journal.py": {
        "gatemark-NAME-BOOT.sh",
        "gatemark-{self.word}-",
        "gatemark-{self.word}-{self.boot}.sh",
    },
    "gateway/openwrt.py": set(),  # a comment: /tmp/.uci is uci's
    "gateway/supervisor.sh": set(),  # fresh
    "node/hardware.py": {"sysinfo/model"},  # OpenWrt's own, which is read
    "node/leftover.py": {
        "gatemark-program-*",
        "gatemark-program-{supervisor}.",
        "{ATTACHED}-{lab}",
    },
    "kind/application/place.py": {"passwd", "home"},  # a memory file system of its own
    "node/remote/lease.py": set(),  # a message
    "node/remote/lease.sh": {"gatemark-lease-$boot", "gatemark-*-", "gatemark-lease-*"},
    "node/remote/push.py": {"gatemark-lease-*"},  # whether it is there
    "node/shared.sh": {"gatemark-once.*", "gatemark-program-*"},
    "price/settings.py": {"price", "price/null"},  # of a root folder of its own
    "probe/sampled.py": set(),  # fresh
    "scratch.py": set(),  # fresh; what a killed one left is opened without following links
    "station/lock.py": set(),  # the folder itself is locked
    "station/ssh/interview.py": set(),  # a message
    "station/ssh/ports.py": set(),  # fresh
}
TRACE: Final = "trace"

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can plant another's files")


def test_every_name_in_such_a_folder_is_planted_here() -> None:
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCE.rglob("*")):
        name = str(path.relative_to(SOURCE))
        if path.suffix in (".py", ".sh") and not name.startswith(GUESTS):
            text = path.read_text()
            if MENTION.search(text):
                found[name] = set(LOOKS_FOR.findall(text))
    assert found == KNOWN


class Planted:
    """A shared folder with something at a name that one of our scripts looks for."""

    def __init__(self, folder: Path) -> None:
        self.place = folder / "place"
        self.place.mkdir()
        self.trace = folder / TRACE
        self.folder = folder / "of-root"
        self.folder.mkdir(mode=0o700)
        self.file = self.folder / "undo"
        self.file.write_text(f"echo run >> {self.trace}\n")
        self.file.chmod(0o600)

    def plant(self, name: str, how: str) -> None:
        """Put it there as another user could have, or as root did with a careless umask."""
        self.at = self.place / name
        HOW[how](self)
        self.before = self.state()

    def state(self) -> list[tuple[str, int, int, bytes]]:
        """What is there and where links lead: path, mode, owner, content."""
        rows = []
        for path in (self.folder, *self.folder.rglob("*"), self.at, *self.at.glob("*")):
            about = path.lstat()
            content = path.read_bytes() if path.is_file() else b""
            rows.append((str(path), about.st_mode, about.st_uid, content))
        return rows

    def untouched(self) -> None:
        """Nothing was followed, run or deleted."""
        assert self.state() == self.before
        assert not self.trace.exists()


def _folder(planted: Planted, uid: int, mode: int) -> None:
    planted.at.mkdir()
    shutil.copy(planted.file, planted.at / "undo")
    for path in (planted.at / "undo", planted.at):
        os.chown(path, uid, uid)
        path.chmod(mode)


def _file(planted: Planted, uid: int, mode: int) -> None:
    shutil.copy(planted.file, planted.at)
    os.chown(planted.at, uid, uid)
    planted.at.chmod(mode)


def _link(planted: Planted, to: Path) -> None:
    planted.at.symlink_to(to)
    os.lchown(planted.at, NOBODY, NOBODY)


def _pipe(planted: Planted) -> None:
    os.mkfifo(planted.at, 0o666)
    os.chown(planted.at, NOBODY, NOBODY)


def _socket(planted: Planted) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(planted.at))
    os.chown(planted.at, NOBODY, NOBODY)


def _device(planted: Planted, kind: int) -> None:
    os.mknod(planted.at, 0o600 | kind, os.makedev(1, 3))


HOW: Final[Mapping[str, Callable[[Planted], None]]] = {
    "link to a folder": lambda planted: _link(planted, planted.folder),
    "link to a file": lambda planted: _link(planted, planted.file),
    "link to nothing": lambda planted: _link(planted, planted.folder / "none"),
    "link to a device": lambda planted: _link(planted, Path("/dev/null")),
    "folder": lambda planted: _folder(planted, NOBODY, 0o700),
    "open folder": lambda planted: _folder(planted, 0, 0o777),
    "file": lambda planted: _file(planted, NOBODY, 0o600),
    "open file": lambda planted: _file(planted, 0, 0o666),
    "second name": lambda planted: planted.at.hardlink_to(planted.file),
    "pipe": _pipe,
    "socket": _socket,
    "root's pipe": lambda planted: os.mkfifo(planted.at, 0o600),
    "character device": lambda planted: _device(planted, stat.S_IFCHR),
    "block device": lambda planted: _device(planted, stat.S_IFBLK),
    "link to itself": lambda planted: _link(planted, planted.at),
    "folder of the group": lambda planted: _folder(planted, 0, 0o770),
    "folder that others enter": lambda planted: _folder(planted, 0, 0o711),
    "sealed folder": lambda planted: _folder(planted, NOBODY, 0),
    "file that others read": lambda planted: _file(planted, 0, 0o604),
    "file of the group": lambda planted: _file(planted, 0, 0o620),
    "program of the group": lambda planted: _file(planted, 0, 0o4710),
}


# What a script without a question would use as if it were ours.
AS_FOLDER: Final = pytest.mark.parametrize("how", ["link to a folder", "folder", "open folder"])
AS_FILE: Final = pytest.mark.parametrize(
    "how", ["link to a file", "open file", "second name", "pipe"]
)


@pytest.fixture(params=SHELLS)
def a_shell(request: pytest.FixtureRequest) -> str:
    """Of those that hosts have."""
    if not shutil.which(request.param.split()[0]):
        pytest.skip(f"no {request.param} here")
    return str(request.param)


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Planted]:
    made = Planted(tmp_path)
    monkeypatch.setattr(journal, "DEVICE_FOLDER", str(made.place))
    monkeypatch.setattr(leftover, "PLACES", (made.place,))
    monkeypatch.setattr(leftover, "ATTACHED_PLACES", (made.place,))
    yield made
    made.untouched()


def ran(
    place: Path, text: str, *words: str, a_shell: str = "sh", programs: str = ""
) -> "subprocess.CompletedProcess[str]":
    """Run a script with its shared folders in this test's."""
    return subprocess.run(
        [*a_shell.split(), *WHOLE[1:], "script", *words],
        input=PLACES.sub(str(place), text),
        capture_output=True,
        text=True,
        env={"PATH": f"{programs}/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(place)},
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("how", HOW)
def test_what_another_could_have_planted_is_not_ours(
    planted: Planted, a_shell: str, how: str
) -> None:
    planted.plant("name", how)
    text = f"""{shared.SHELL}
    ours "$1" && echo ours; taken "$1" || echo free; echo new | put "$1" && echo put; :"""
    assert ran(planted.place, text, str(planted.at), a_shell=a_shell).stdout == ""
    assert not shared.ours(planted.at)
    shared.remove(planted.at)


@AS_FOLDER
def test_attach(planted: Planted, how: str) -> None:
    planted.plant("gatemark-classifier", how)
    nothing = literal("true")
    text = shell(
        attached.SET,
        name="gatemark-classifier",
        binary="/bin/true",
        model="/dev/null",
        lan="gm-nowhere",
        change=nothing,
        undo=nothing,
        start=nothing,
        watch=word(nothing),
        attach=attached.ATTACH,
    )
    done = ran(planted.place, text)
    assert done.returncode == 1
    assert f"{planted.at} is another user's: remove it" in done.stderr


@AS_FOLDER
def test_what_is_undone_before_one_is_attached(planted: Planted, how: str) -> None:
    planted.plant("gatemark-classifier", how)
    done = ran(planted.place, f"name=gatemark-classifier\n{attached.CLEAR}")
    assert (done.returncode, done.stderr) == (0, "")


@AS_FOLDER
def test_detach(planted: Planted, how: str) -> None:
    planted.plant("gatemark-classifier", how)
    done = ran(planted.place, f"name=gatemark-classifier\n{attached.DETACH}")
    assert done.stderr == "no classifier is attached\n"


@AS_FOLDER
def test_lease_folder(planted: Planted, how: str) -> None:
    planted.plant(f"gatemark-lease-{BOOT}", how)
    done = ran(planted.place, lease.shell_script(), "hold", "1", "us", "we")
    assert done.stdout == f"refused {planted.at} is another user's: remove it\n"


def cleared(planted: Planted) -> str:
    """A lease that clears what one before it left."""
    functions = lease.shell_script().rpartition("case $verb in")[0]
    text = f"{functions}before=nobody folder=$1\nclear_before\n"
    return ran(planted.place, text, str(planted.place / "none")).stdout


@pytest.mark.parametrize("name", ["gatemark-lease-of-another-boot", "gatemark-once.aaaaaa"])
@AS_FOLDER
def test_folders_that_a_lease_clears(planted: Planted, how: str, name: str) -> None:
    planted.plant(name, how)
    assert cleared(planted) == "held\n"


@AS_FILE
def test_a_journal_that_a_lease_clears(planted: Planted, how: str) -> None:
    planted.plant(f"gatemark-root@box-{BOOT}.sh", how)
    assert cleared(planted) == "held\n"


@AS_FILE
def test_journal(planted: Planted, how: str) -> None:
    planted.plant(f"gatemark-root@box-{BOOT}.sh", how)

    async def run() -> None:
        journal_, node = Journal("root@box", planted.place.parent / "state"), Local()
        assert await journal_.open(node) == ""
        with pytest.raises(NodeError, match="another user made it: remove it"):
            await script(node, journal_.keep([literal("true")]))
        journal_.close()

    asyncio.run(run())


@pytest.mark.parametrize("name", ["gatemark-once.aaaaaa", "gatemark-program-1.aaaaaa"])
@AS_FOLDER
def test_what_is_put_there(planted: Planted, how: str, name: str) -> None:
    planted.plant(name, how)
    assert ran(planted.place, push.CLEAN, str(planted.place)).returncode == 0
    done = ran(planted.place, PUT_HERE, str(planted.place), "gm-file")
    assert Path(done.stdout.strip()).parent == planted.place, done.stderr


# Its file comes by stdin, as this script does.
PUT_HERE: Final = push.PUT.replace('cat > "$2"', ': > "$2"')


@AS_FOLDER
def test_leftover(planted: Planted, how: str) -> None:
    planted.plant("gatemark-program-99999999.aaaaaa", how)
    assert leftover.sweep() == []


@AS_FOLDER
def test_a_lab_that_went(planted: Planted, how: str) -> None:
    planted.plant("gatemark-classifier-0a0b0c", how)
    leftover.forget("0a0b0c")


@pytest.mark.parametrize("how", HOW)
def test_whether_a_box_takes_a_file(planted: Planted, how: str) -> None:
    """By the name that it had: the shell's own number, which another user can foresee."""
    planted.at = planted.place / "planted"
    HOW[how](planted)
    planted.before = planted.state()
    text = f'cp -a "$1" "$2$$"\n{ports.QUESTIONS["writes"]}'
    words = str(planted.at), f"{planted.place}/gatemark-write-"
    assert ran(planted.place, text, *words).stdout == "yes\n"


def test_what_is_ours_is_used(tmp_path: Path, a_shell: str) -> None:
    text = Script(f'{shared.SHELL}echo one | put "$1/a" && echo two | put "$1/a" && cat "$1/a"')
    done = ran(tmp_path, text, str(tmp_path), a_shell=a_shell)
    assert (done.returncode, done.stdout) == (0, "two\n")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    assert shared.ours(tmp_path / "a")


# A program of the script's: while it runs another user plants a link, between a look and its use.
MEANWHILE: Final = """#!/bin/sh
case "$*" in {when}) ln -s {to} {at} && chown -h 65534:65534 {at} ;; esac
case "$*" in {fails}) exit 1 ;; esac
exec {program} "$@"
"""


def meanwhile(planted: Planted, name: str, program: str, when: str = "*", fails: str = "''") -> str:
    """A folder for PATH whose program has a link to root's folder planted at `name`."""
    planted.plant(name, "link to a folder")
    planted.at.unlink()
    path = planted.trace.parent / "bin"
    path.mkdir()
    there = shutil.which(program)
    text = MEANWHILE.format(when=when, fails=fails, to=planted.folder, at=planted.at, program=there)
    (path / program).write_text(text)
    (path / program).chmod(0o755)
    return f"{path}:"


def test_what_is_planted_while_a_file_is_put_there(planted: Planted) -> None:
    programs = meanwhile(planted, "name", "mktemp")
    text = f'{shared.SHELL}\necho new | put "$1" && echo put; :'
    assert ran(planted.place, text, str(planted.at), programs=programs).stdout == ""


def test_what_is_planted_while_a_lease_is_taken(planted: Planted) -> None:
    name = f"gatemark-lease-{BOOT}"
    programs = meanwhile(planted, name, "mkdir", "*/of-*", f"*/{name}")
    words = "hold", "1", "us", "we"
    done = ran(planted.place, lease.shell_script(), *words, programs=programs)
    assert done.stdout == f"refused {planted.place} cannot be written: free some of it\n"
    _link(planted, planted.folder)  # nothing was made by which it would have come


@pytest.mark.parametrize("verb", ["free", "force"])
def test_a_lease_that_another_user_says_he_holds(planted: Planted, verb: str) -> None:
    """His folder names a process of root's as its holder: neither that ends nor a file is cut."""
    planted.plant(f"gatemark-lease-{BOOT}", "folder")
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            start = Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()[19]
            holder = f"{process.pid}:{start}"
            (planted.at / "after-nobody").symlink_to(holder)
            (planted.at / f"of-{holder}").mkdir()
            (planted.at / f"of-{holder}" / "over").symlink_to(planted.file)
            planted.before = planted.state()
            quick = lease.shell_script().replace("left_s=60", "left_s=0")
            done = ran(planted.place, quick, verb, "1", "us", "we")
            assert done.stdout == f"refused {planted.at} is another user's: remove it\n"
            assert process.poll() is None
        finally:
            process.kill()
