# SPDX-License-Identifier: Apache-2.0
"""A virtual gateway before and between its boots: what it is started with, and what is kept."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from gatemark.error import GatemarkError, StationError, UnavailableError
from gatemark.plan.toml import read_toml
from gatemark.station import lock
from gatemark.station.counting import Counting
from gatemark.station.image.arch import Arch
from gatemark.station.qemu import first, migration
from gatemark.station.qemu import lab as module
from gatemark.station.qemu.guest import Model, model
from gatemark.station.qemu.lab import COUNTED, PROGRAMS, NotUpError, VirtualLab
from gatemark.station.qemu.machine import options
from gatemark.station.qemu.snapshot import SETTINGS, STATE, SWITCH, Snapshot
from gatemark.station.thread import Thread

HEAD = 'schema = "gatemark.station/1"\n[gateway]\nkind = "qemu"\n'
ADDRESS = 'address = "root@192.168.1.1"'
FILES = ("vmlinuz", "initrd", "own.img", "openwrt.img.gz", "openwrt.elf")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "folder", lambda: tmp_path / "labs")
    for name in FILES:
        (tmp_path / name).touch()


def made(folder: Path, *lines: str) -> VirtualLab:
    path = folder / "my.toml"
    path.write_text(HEAD + "\n".join(lines))
    return VirtualLab("my", model(read_toml(path)["gateway"], path))


def counted(lab: VirtualLab, data: str) -> VirtualLab:
    """Counting is asked for, whether the plugin is built here or not."""
    lab.counting = cast(Counting, SimpleNamespace(data=data))
    return lab


OWN = [
    ('arch = "x86_64"', 'kernel = "vmlinuz"', 'initramfs = "initrd"', ADDRESS),
    ('arch = "x86_64"', 'kernel = "vmlinuz"', 'disk = "own.img"', 'append = "root=a"', ADDRESS),
    ('arch = "mipsel"', 'image = "openwrt.elf"'),
]


@pytest.mark.parametrize("lines", OWN)
@pytest.mark.parametrize(("data", "words"), [("", COUNTED), ("8/1/8", f"{COUNTED} {PROGRAMS}")])
def test_a_counted_kernel_of_ones_own_has_the_words_of_ours(
    tmp_path: Path, lines: Sequence[str], data: str, words: str
) -> None:
    lab = counted(made(tmp_path, *lines), data)
    command = options(lab._image(), "tcg", counted=True)
    line = command[command.index("-append") + 1]
    assert line.endswith(f"{lab.model.append} {words}".strip())


def test_a_kernel_that_is_not_counted_has_no_words_more(tmp_path: Path) -> None:
    for lines in OWN:
        lab = made(tmp_path, *lines)
        assert lab._image().append == lab.model.append


@pytest.mark.parametrize(
    ("lines", "fix"),
    [
        (('disk = "own.img"', ADDRESS), 'kernel = "FILE" beside disk, and its root in append'),
        (('image = "openwrt.img.gz"',), 'image = "openwrt"'),
    ],
)
def test_a_kernel_that_a_disk_starts_is_not_counted(
    tmp_path: Path, lines: Sequence[str], fix: str
) -> None:
    lab = made(tmp_path, 'arch = "x86_64"', *lines)
    with pytest.raises(UnavailableError, match=f"`{COUNTED}`.*: write {fix}$"):
        lab.count()
    assert lab.counting is None


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is remembered of KVM, which works here."""
    reasons: list[str] = []

    def remember(arch: Arch, why: str) -> None:
        del arch
        reasons.append(why)

    monkeypatch.setattr(module, "kvm_refused", lambda _: "")
    monkeypatch.setattr(module, "remember", remember)
    return reasons


def booted(lab: VirtualLab, error: GatemarkError, monkeypatch: pytest.MonkeyPatch) -> str:
    """What runs it where its first start fails so."""

    async def start(_: Model) -> None:
        if lab.accel == "kvm":
            raise error

    monkeypatch.setattr(lab, "_start", start)
    asyncio.run(lab._boot(lab.model))
    return lab.accel


def test_a_guest_that_does_not_come_up_under_kvm_is_remembered(
    tmp_path: Path, kept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = made(tmp_path, 'arch = "x86_64"')
    assert booted(lab, NotUpError("no SSH in 20 s"), monkeypatch) == "tcg: no SSH in 20 s"
    assert kept == ["no SSH in 20 s"]


@pytest.mark.parametrize("kind", [StationError, UnavailableError])
def test_what_failed_before_a_guest_ran_is_not_remembered_of_kvm(
    kind: type[GatemarkError], tmp_path: Path, kept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = made(tmp_path, 'arch = "x86_64"')
    assert booted(lab, kind("it did not start"), monkeypatch) == "tcg: it did not start"
    assert kept == []


def test_a_tap_that_cannot_be_made_says_nothing_of_kvm(
    tmp_path: Path, kept: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tap(_space: str, _device: str) -> int:
        raise UnavailableError("no tap for a virtual gateway")

    monkeypatch.setattr(module, "tap", tap)
    lab = made(tmp_path, 'arch = "x86_64"')
    with pytest.raises(UnavailableError, match="no tap"):
        asyncio.run(lab._boot(lab.model))
    assert kept == []


class Emulated:
    """A gateway that has a snapshot; it goes on, or fails so. `events`: what is done, in order."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, failed: str = "") -> None:
        self.events: list[str] = []
        self.lab = made(folder, 'arch = "x86_64"')
        self.snapshot = Snapshot(folder / "amd64-0123", b"")
        self.snapshot.place.mkdir()
        (self.snapshot.place / STATE).touch()
        (self.snapshot.place / SETTINGS).write_text("as set")
        self.lab._snapshot = self.snapshot
        running(self.lab, alive=True)
        patch.setattr(module, "kvm_refused", lambda _: "no /dev/kvm")
        patch.setattr(module, "tell", self.events.append)
        patch.setattr(migration, "resume", self.step("resumed", failed))
        patch.setattr(self.lab, "_switch_on", self.step("on"))
        patch.setattr(self.lab, "_reached", self.step("reached"))
        patch.setattr(self.lab, "_awake", self.step("awake"))
        patch.setattr(self.lab, "_end", self.step("off"))
        patch.setattr(self.lab, "_start", self.step("booted"))
        patch.setattr(self.lab, "_set_by", self.step("looked", answer="as set"))

    def step(self, name: str, failed: str = "", answer: str = "") -> Callable[..., Any]:
        async def done(*_: object) -> str:
            if failed:
                raise StationError(failed)
            self.events.append(name)
            return answer

        return done

    def boot(self) -> list[str]:
        asyncio.run(self.lab._boot(self.lab.model))
        return self.events


def test_a_guest_that_was_kept_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = Emulated(tmp_path, monkeypatch)
    assert guest.boot() == ["on", "resumed", "reached", "awake", "looked"]
    assert guest.lab.words["boot"] == "snapshot amd64-0123"


def test_a_guest_that_does_not_go_on_is_booted_and_its_snapshot_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = Emulated(tmp_path, monkeypatch, "no such device")
    line = "snapshot amd64-0123 is not used: no such device; my boots"
    assert guest.boot() == ["on", "off", line, "booted"]
    assert not guest.snapshot.place.exists()
    assert "boot" not in guest.lab.words


def test_a_guest_that_was_set_otherwise_is_booted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guest = Emulated(tmp_path, monkeypatch)
    (guest.snapshot.place / SETTINGS).write_text("as others set it")
    assert "another version of Gatemark set it; my boots" in guest.boot()[-2]


def test_no_snapshot_is_used_where_each_boot_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    each, exact = made(tmp_path, 'arch = "x86_64"'), made(tmp_path, 'arch = "x86_64"')
    each.boot_each()
    counted(exact, "")
    monkeypatch.setenv(SWITCH, "no")
    off = made(tmp_path, 'arch = "x86_64"')
    monkeypatch.delenv(SWITCH)
    timed = made(tmp_path, 'arch = "x86_64"', "icount = 3")
    plain = made(tmp_path, 'arch = "x86_64"')
    labs = (each, off, exact, timed, plain)
    assert [lab._unfit for lab in labs] == [True, True, True, True, False]


def running(lab: VirtualLab, *, alive: bool) -> None:
    async def reset() -> None:
        """Its button."""

    played: Any = SimpleNamespace(
        alive=alive, console=SimpleNamespace(last="Kernel panic"), reset=reset, monitor=None
    )
    lab._machine = played


def test_a_guest_that_ended_before_it_let_us_in_is_not_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def knock() -> bool:
        return False

    lab = made(tmp_path, 'arch = "x86_64"')
    running(lab, alive=False)
    monkeypatch.setattr(lab, "_knock", knock)
    with pytest.raises(NotUpError, match=r"did not come up: .*; its console: Kernel panic"):
        asyncio.run(lab._reached(1.0))


def test_a_guest_that_others_keep_from_its_cpu_has_more_time_to_boot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    knocks: list[bool] = []

    async def knock() -> bool:
        await asyncio.sleep(0.3)
        knocks.append(len(knocks) == 1)
        return knocks[-1]

    async def nothing(*_: object) -> None:
        """It is up."""

    lab = made(tmp_path, 'arch = "x86_64"')
    running(lab, alive=True)
    lab._machine.settle = nothing  # type: ignore[method-assign,union-attr]
    monkeypatch.setattr(lab, "_knock", knock)
    monkeypatch.setattr(lab._ssh, "reconnect", nothing)
    with pytest.raises(NotUpError, match=r"no SSH in 0\.2 s; its console"):
        asyncio.run(lab._reached(0.2))
    knocks.clear()
    waits = iter((0.0, *[60.0] * 9))
    monkeypatch.setattr(VirtualLab, "_kept_s", property(lambda _: next(waits)))
    asyncio.run(lab._reached(0.2))
    assert knocks == [False, True]


def test_the_time_that_a_thread_waited_for_its_cpu_is_read() -> None:
    assert Thread("own", os.getpid(), None).waited_s >= 0
    assert Thread("none", 1 << 30, None).waited_s == 0


def restarted(lab: VirtualLab, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done for it after its reset, in order."""
    done: list[str] = []

    async def boot(*_: object) -> None:
        done.append("first boot")

    async def reached(_: float) -> None:
        done.append("reached")

    async def set_() -> None:
        done.append("set")

    monkeypatch.setattr(first, "boot", boot)
    monkeypatch.setattr(lab, "_reached", reached)
    monkeypatch.setattr(lab, "_set", set_)
    lab.accel = "tcg: emulated"
    lab._image()
    running(lab, alive=True)
    asyncio.run(lab.restart())
    return done


def test_an_official_image_in_memory_is_told_again_after_a_reset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = made(tmp_path, 'arch = "mipsel"', 'image = "openwrt.elf"')
    assert restarted(lab, monkeypatch) == ["first boot", "reached", "set"]


def test_an_official_disk_keeps_what_it_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "openwrt.img").touch()
    lab = made(tmp_path, 'arch = "x86_64"', 'image = "openwrt.img"')
    assert restarted(lab, monkeypatch) == ["reached", "set"]
