# SPDX-License-Identifier: Apache-2.0
"""What is missing is built at its first use in a repository, and in no other place."""

import shutil
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.node import binary, build

Install = Callable[[str], Path]
MIPS = "src/gatemark/agents/mips/gm-agent"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Let gatemark be in a folder of its own, which holds no agent yet."""

    def place(below: str) -> Path:
        package = tmp_path / below / "gatemark"
        package.mkdir(parents=True)
        monkeypatch.setattr(resources, "files", lambda _: package)
        return package

    return place


@pytest.fixture
def repository(install: Install, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that may build, whose setup/build writes what it was asked for."""
    monkeypatch.delenv(build.BUILD)
    folder = install("src").parents[1]
    for name in ("agent", "setup"):
        (folder / name).mkdir()
    (folder / "agent/Makefile").touch()
    write(folder, 'mkdir -p "$(dirname "$1")" && echo "$1" >"$1"')
    return folder


def write(repository: Path, script: str) -> None:
    """Its setup/build, which like the real one works in the repository."""
    program = repository / "setup/build"
    program.write_text(f'#!/bin/sh\ncd "$(dirname "$0")/.."\n{script}\n')
    program.chmod(0o755)


def test_a_repository_builds_what_it_lacks(repository: Path) -> None:
    assert build.repository() == repository
    assert binary.agent_path("mips") == repository / MIPS
    assert (repository / MIPS).read_text() == f"{MIPS}\n"


@pytest.mark.parametrize(
    "path", [binary.classifier_path, lambda _: binary.kernels_path("mips", "O3")]
)
def test_so_it_does_with_its_other_programs(path: Callable[[str], Path], repository: Path) -> None:
    assert path("mips").read_text() == f"{path('mips').relative_to(repository)}\n"


def test_what_is_there_is_not_built_again(repository: Path) -> None:
    binary.agent_path("mips")
    write(repository, "false")
    assert binary.agent_path("mips") == repository / MIPS


def test_a_build_that_fails_is_an_error_of_one_line(repository: Path) -> None:
    write(repository, "false")
    why = f"agent for mips was not built: `setup/build {MIPS}` failed, and said why above"
    with pytest.raises(UnavailableError) as error:
        binary.agent_path("mips")
    assert str(error.value) == why


def test_nothing_is_built_where_the_environment_forbids_it(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(build.BUILD, "no")
    with pytest.raises(UnavailableError) as error:
        binary.agent_path("mips")
    assert str(error.value) == f"no agent for mips is here; run `setup/build {MIPS}`"
    assert not (repository / MIPS).exists()


def test_a_wheel_is_installed_again(install: Install) -> None:
    install("lib/python3/site-packages")
    assert build.repository() is None
    with pytest.raises(UnavailableError) as error:
        binary.agent_path("mips")
    assert str(error.value) == f"no agent for mips is here; {build.AGAIN}"


def test_zig_is_installed_where_a_repository_lacks_it(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(repository / "setup/build", repository / "setup/install")
    found = iter([None, "zig"])
    monkeypatch.setattr("importlib.util.find_spec", lambda _: next(found))
    build.require_zig()
    assert (repository / "zig").read_text() == "zig\n"


def test_a_wheel_says_how_zig_comes(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("lib/python3/site-packages")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UnavailableError, match="zig is not here; run `pip install ziglang`"):
        build.require_zig()
