# SPDX-License-Identifier: Apache-2.0
"""What this machine cannot do is told with what would fix it."""

import os
import shutil
from contextlib import suppress
from importlib import resources
from pathlib import Path
from types import SimpleNamespace

import needs
import pytest

from gatemark.error import UnavailableError
from gatemark.node import binary, build
from gatemark.station import doctor
from gatemark.station.ability import MISSING, Ability
from gatemark.station.image.arch import ARCHES

KERNELS = {
    "5.16.20": False,
    "5.17.0": True,
    "6.1-rc1+": True,
    "6.1.0-28-amd64": True,
    "10.0": True,
    "4.19.300": False,
}


def test_whatever_is_missing_has_a_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    missing = {found.what: found.fix for found in doctor.examine() if not found.ok}
    tools = {tool: f"apt-get install {package}" for tool, package in doctor.PACKAGES.items()}
    emulators = {arch.emulator: f"apt-get install {arch.package}" for arch in ARCHES.values()}
    wanted = tools | emulators | {"nat": "apt-get install nftables"}
    assert {what: missing.get(what) for what in wanted} == wanted
    assert all(missing.values())


def test_the_kernel_is_new_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_new(release: str) -> bool:
        monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(release=release))
        return doctor._kernel().ok

    assert {release: is_new(release) for release in KERNELS} == KERNELS


def test_what_is_required_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    needs.two_cpus()
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(UnavailableError, match=r"^ip: missing; apt-get install iproute2$"):
        doctor.require()


def test_a_run_in_the_lab_asks_no_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(doctor, "plugin", asked.append)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    with suppress(UnavailableError):
        doctor.require()
    assert asked == []


def test_refused_rights_are_told_with_their_mend() -> None:
    (rights,) = (f for f in doctor.examine("rights: not root; use sudo") if f.what == "rights")
    assert (rights.ok, rights.text, rights.fix) == (False, "not root", "use sudo")


def test_what_a_run_can_do_without_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    lacks = Ability(**dict.fromkeys(MISSING, False))
    monkeypatch.setattr(doctor, "ability", lambda: lacks)
    told = {found.what: found for found in doctor.examine()}
    assert {"rights", "processors", "agent", "kernel"} <= told.keys()
    for name, lacking in MISSING.items():
        found = told[name.replace("_", " ")]
        assert (found.ok, found.needed, found.text) == (False, False, lacking.rstrip("."))


@pytest.mark.parametrize(
    ("found", "ok", "said"),
    [
        ("/somewhere/counter-2.so", True, "counted, by QEMU's plugin interface 2"),
        (None, False, "qemu-system-mipsel does not load plugins: it said nothing"),
    ],
)
def test_whether_instructions_can_be_counted_is_told(
    found: str | None, ok: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plugin(emulator: str) -> Path:
        if found is None:
            raise UnavailableError(f"{emulator} does not load plugins: it said nothing")
        return Path(found)

    monkeypatch.setattr(doctor, "plugin", plugin)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    (told,) = doctor._counts(ARCHES["mipsel"])
    assert told.what == "instructions (qemu-system-mipsel)"
    assert (told.ok, told.text, told.needed) == (ok, said, False)


@pytest.mark.parametrize("repository", [Path("/somewhere"), None])
def test_a_missing_agent_has_advice_that_works_here(
    repository: Path | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "repository", lambda: repository)
    monkeypatch.setattr(resources, "files", lambda _: tmp_path / "src/gatemark")
    command = f"run `setup/build src/gatemark/agents/{binary.own_arch()}/gm-agent`"
    assert doctor._agent().fix == (command if repository else build.AGAIN)
