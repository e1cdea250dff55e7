# SPDX-License-Identifier: Apache-2.0
"""A wheel is whole or it is not built: what is missing is named."""

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from gatemark.node.elf import TARGETS

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def wheel() -> ModuleType:
    """`setup/wheel.py`, which is in no package."""
    pytest.importorskip("hatchling", reason="no hatchling: make setup")
    spec = importlib.util.spec_from_file_location("wheel", ROOT / "setup/wheel.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def whole(wheel: ModuleType, tmp_path: Path) -> Path:
    """A folder with every part of a wheel."""
    for path in wheel.files(TARGETS).values():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("something")
    return tmp_path


def test_a_wheel_with_all_parts_is_whole(wheel: ModuleType, whole: Path) -> None:
    wheel.require(whole, TARGETS)


def test_a_missing_part_is_named(wheel: ModuleType, whole: Path) -> None:
    for name, path in wheel.files(TARGETS).items():
        (whole / path).rename(whole / "away")
        lacks = rf"^the wheel would lack: {re.escape(name)} \([^,]*\)$"
        with pytest.raises(wheel.BuildError, match=lacks):
            wheel.require(whole, TARGETS)
        (whole / "away").rename(whole / path)


def test_all_missing_parts_are_named_and_an_empty_file_is_no_part(
    wheel: ModuleType, whole: Path
) -> None:
    (whole / wheel.files(TARGETS)["gm-agent for mips"]).write_text("")
    (whole / wheel.files(TARGETS)["plugin for QEMU 2"]).unlink()
    with pytest.raises(wheel.BuildError, match=r"gm-agent for mips \(.*, plugin for QEMU 2 \("):
        wheel.require(whole, TARGETS)


def test_what_a_wheel_holds_is_what_the_laboratory_looks_for(wheel: ModuleType) -> None:
    assert wheel.TARGETS == TARGETS
    assert all(
        (ROOT / path).exists() for name, path in wheel.files(TARGETS).items() if "licence" in name
    )


def test_a_wheel_for_few_processors_holds_theirs_and_the_testers_own(
    wheel: ModuleType,
) -> None:
    targets = wheel.chosen(" mipsel  armv7 ", "x86_64")
    assert targets == ["x86_64", "armv7", "mipsel"]
    assert wheel.files(TARGETS).keys() - wheel.files(targets).keys() == {
        f"{program} for {target}"
        for programs in wheel.PROGRAMS.values()
        for program in programs
        for target in ("aarch64", "mips")
    }


def test_a_wheel_is_for_all_processors_where_none_is_named(wheel: ModuleType) -> None:
    assert tuple(wheel.chosen("", "aarch64")) == TARGETS


def test_a_processor_that_there_is_not_is_named(wheel: ModuleType) -> None:
    with pytest.raises(wheel.BuildError, match=r"^GATEMARK_TARGETS: 'arm': there are x86_64, "):
        wheel.chosen("mips arm", "x86_64")


def test_a_build_without_make_says_what_to_install(
    wheel: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(wheel.BuildError, match=r"needs make: apt-get install make$"):
        wheel.build(ROOT, TARGETS, "x86_64")


def test_a_machine_that_no_wheel_is_for_is_named(wheel: ModuleType) -> None:
    with pytest.raises(wheel.BuildError, match="for x86_64, aarch64, any, not for riscv64"):
        wheel.chosen("", "riscv64")


def test_a_build_that_fails_names_the_part_and_the_fault(wheel: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/Makefile").write_text("install-cross:\n\t@echo planted fault; false\n")
    with pytest.raises(wheel.BuildError, match=r"^agents: not built: planted fault"):
        wheel.build(tmp_path, TARGETS, "x86_64")


def test_a_build_without_zig_names_it(wheel: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel, "find_spec", lambda _: None)
    with pytest.raises(wheel.BuildError, match="no zig: pip install ziglang"):
        wheel.build(ROOT, TARGETS, "x86_64")


def test_an_editable_install_builds_nothing(
    wheel: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wheel, "build", lambda *_: pytest.fail("it builds"))
    hook = object.__new__(wheel.Parts)
    data: dict[str, object] = {}
    hook.initialize("editable", data)
    assert data == {}


def test_a_wheel_for_anywhere_holds_no_program_and_says_so(
    wheel: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEMARK_MACHINE", "any")
    config = SimpleNamespace(target_config={"artifacts": ["src/gatemark/agents/**"]})
    hook = wheel.Parts(str(tmp_path), {}, config, None, str(tmp_path), "wheel", None)
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", data)
    assert (data["tag"], data["pure_python"]) == ("py3-none-any", True)
    assert config.target_config["artifacts"] == []


def test_the_hook_ends_the_build_with_the_parts_name(
    wheel: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class App:
        def abort(self, message: str) -> None:
            raise SystemExit(message)

    monkeypatch.setattr(wheel, "build", lambda *_: None)
    hook = wheel.Parts(str(tmp_path), {}, None, None, str(tmp_path), "wheel", App())
    lacks = r"^gatemark: the wheel would lack: gm-agent for x86_64 \("
    with pytest.raises(SystemExit, match=lacks):
        hook.initialize("standard", {"force_include": {}})
