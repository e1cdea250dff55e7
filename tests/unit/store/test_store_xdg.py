# SPDX-License-Identifier: Apache-2.0
"""What belongs to no run is kept below one folder, whoever asks and however little is set."""

import os
from pathlib import Path

import pytest

from gatemark.error import UnavailableError
from gatemark.store import xdg


@pytest.fixture
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


@pytest.fixture
def homeless(nothing_set: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    nothing_set.setattr(Path, "home", home)
    return nothing_set


def test_the_set_folder_goes_first(nothing_set: pytest.MonkeyPatch) -> None:
    nothing_set.setenv("XDG_CACHE_HOME", "/caches")
    nothing_set.setenv("XDG_STATE_HOME", "/states")
    assert [xdg.cache(), xdg.state()] == [Path("/caches/gatemark"), Path("/states/gatemark")]


def test_a_relative_folder_is_ignored(nothing_set: pytest.MonkeyPatch) -> None:
    nothing_set.setenv("XDG_CACHE_HOME", "caches")
    nothing_set.setenv("HOME", "/home/me")
    assert xdg.cache() == Path("/home/me/.cache/gatemark")


@pytest.mark.usefixtures("nothing_set")
def test_without_home_the_user_database_is_asked() -> None:
    assert xdg.cache() == Path("~/.cache/gatemark").expanduser()
    assert xdg.state() == Path("~/.local/state/gatemark").expanduser()


def test_root_without_a_home_has_the_systems_places(homeless: pytest.MonkeyPatch) -> None:
    homeless.setattr(os, "geteuid", lambda: 0)
    assert xdg.cache() == Path("/var/cache/gatemark")
    assert xdg.state() == Path("/var/lib/gatemark")


def test_anyone_else_is_told_what_to_set(homeless: pytest.MonkeyPatch) -> None:
    homeless.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UnavailableError, match=r"no home folder; set XDG_CACHE_HOME$"):
        xdg.cache()


def test_a_cache_that_cannot_be_made_names_the_fix(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(UnavailableError, match=r"taken/gatemark: Not a directory; set XDG_CACHE_H"):
        xdg.make(tmp_path / "taken" / "gatemark")
