# SPDX-License-Identifier: Apache-2.0
"""Where an agent is missing, the advice works where it is read: in a repository, or in a wheel."""

import platform
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.node import binary

Install = Callable[[str], Path]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Let gatemark be in a folder of its own, which holds no agent yet."""

    def place(below: str) -> Path:
        package = tmp_path / below / "gatemark"
        package.mkdir(parents=True)
        monkeypatch.setattr(resources, "files", lambda _: package)
        return package

    return place


def test_a_repository_builds_what_it_lacks(install: Install) -> None:
    repository = install("src").parents[1]
    (repository / "agent").mkdir()
    (repository / "agent/Makefile").touch()
    assert binary.repository() == repository
    with pytest.raises(UnavailableError) as error:
        binary.agent_path("mips")
    command = "run `gatemark agent build --target mips`"
    assert str(error.value) == f"no agent for mips is here; {command}"


def test_a_wheel_is_installed_again(install: Install) -> None:
    install("lib/python3/site-packages")
    assert binary.repository() is None
    with pytest.raises(UnavailableError) as error:
        binary.agent_path("mips")
    again = "install gatemark again, this installation is incomplete"
    assert str(error.value) == f"no agent for mips is here; {again}"


@pytest.mark.parametrize(
    ("machine", "arch"), [("armv7l", "armv7"), ("x86_64", "x86_64"), ("riscv64", "riscv64")]
)
def test_the_kernels_name_of_a_processor_becomes_ours(
    machine: str, arch: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    assert binary.own_arch() == arch


def test_a_processor_that_no_agent_is_for_is_told_so() -> None:
    with pytest.raises(UnavailableError, match="no agent for riscv64; there are agents for x86_64"):
        binary.agent_path("riscv64")
