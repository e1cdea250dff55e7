# SPDX-License-Identifier: Apache-2.0
"""The doctor's last lines: what can be run here, and what cannot for want of what."""

from pathlib import Path

import pytest

from gatemark.run.preflight.reach import CAN, CANNOT, FULL_SPEED, reach
from gatemark.station.doctor import Finding
from gatemark.station.image.arch import ARCHES


def findings(*missing: str) -> list[Finding]:
    """A machine that has all but these."""
    needed = [(name, True) for name in ("rights", "ip", "kernel", "nat")]
    names = [*needed, ("slowdown", False)]
    for arch in ARCHES.values():
        names += [(arch.emulator, False), (f"instructions ({arch.emulator})", False)]
    return [
        Finding(name, ok=name not in missing, text="missing: why", fix=f"get {name}", needed=need)
        for name, need in names
    ]


def told(*missing: str) -> list[tuple[str, str, str]]:
    return [(row.what, row.text, row.fix) for row in reach(findings(*missing))]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No image of OpenWrt, whatever this user has built."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_a_whole_machine_can_run_everything_but_what_its_user_builds() -> None:
    row, *images = reach(findings())
    assert {(image.what, image.ok) for image in images} == {(CANNOT, False)}
    assert all(image.fix.startswith("gatemark station image openwrt") for image in images)
    assert (row.what, row.ok) == (CAN, True)
    assert row.text.startswith(
        "the built-in lab; a box over SSH (--station FILE.toml); --station qemu"
    )
    assert "; --exact --station qemu-aarch64, qemu-aarch64-smp, qemu-mips, " in row.text


def test_without_an_emulator_its_stations_cannot_run() -> None:
    names = "--station openwrt-mips, qemu-mips, qemu-mips-pcnet"
    text = f"{names}; --exact {names} (qemu-system-mipsel: missing)"
    row = (CANNOT, text, "get qemu-system-mipsel")
    assert row in told("qemu-system-mipsel")


def test_without_nat_a_gateway_with_a_kernel_of_its_own_can_run_all_the_same() -> None:
    can, cannot, *_ = told("nat")
    assert can[1].startswith("a box over SSH (--station FILE.toml); --station")
    assert cannot[1].startswith("the built-in lab (nat")


def test_without_rights_nothing_can_run() -> None:
    can, *_ = reach(findings("rights"))
    assert (can.ok, can.text) == (False, "nothing")


def test_without_the_slowdown_the_lab_runs_at_full_speed() -> None:
    assert told("slowdown")[0][1].startswith(f"{FULL_SPEED};")
