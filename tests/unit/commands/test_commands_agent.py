# SPDX-License-Identifier: Apache-2.0
"""`gatemark agent build` of an installation from a wheel: nothing to build, and no circle."""

from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gatemark.commands.app import app


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with one agent: its sources are nowhere near."""
    folder = tmp_path / "lib/site-packages/gatemark"
    (folder / "agents/mips").mkdir(parents=True)
    (folder / "agents/mips/gm-agent").write_bytes(bytes(2048))
    monkeypatch.setattr(resources, "files", lambda _: folder)
    return folder


def test_a_wheel_says_where_its_agent_is(package: Path) -> None:
    done = CliRunner().invoke(app, ["agent", "build", "--target", "mips"])
    assert done.exit_code == 0
    assert done.stdout == f"mips: {package}/agents/mips/gm-agent (2 KiB)\n"
    assert done.stderr == "gatemark was installed with its agents: nothing is built\n"


def test_a_wheel_that_lacks_one_does_not_send_back_here(package: Path) -> None:
    done = CliRunner().invoke(app, ["agent", "build", "--target", "mipsel"])
    assert done.exit_code == 1
    assert "setup/build" not in str(done.exception)
    assert "install gatemark's wheel" in str(done.exception)
    assert package.exists()
