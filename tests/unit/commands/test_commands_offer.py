# SPDX-License-Identifier: Apache-2.0
"""The list of what can be run: derived once, never older than the files that it comes from."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gatemark import edition
from gatemark.commands.console import offer
from gatemark.commands.console.offer import KEPT, Offer, offered, offers

FALSE = Offer("planted", "t", "planted/plan", "t", [], {}, 1.0)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of its own, and sources with one plan's file of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(Path(edition.PACKAGE) / "plans" / "wrt54", tmp_path / "sources")
    monkeypatch.setattr(edition, "PACKAGE", str(tmp_path / "sources"))
    monkeypatch.setattr(offer, "_derived", lambda: iter(offered("wrt54/paths")))
    edition.edition.cache_clear()
    yield tmp_path / "cache" / "gatemark" / KEPT
    edition.edition.cache_clear()


def plant(cache: Path) -> None:
    """Put a false plan into the kept list."""
    kept = json.loads(cache.read_text())
    kept["offers"][0]["plan"] = FALSE.plan
    cache.write_text(json.dumps(kept))


def test_what_was_derived_is_kept(cache: Path) -> None:
    derived = offers()
    assert offers() == derived
    plant(cache)
    assert offers()[0].plan == FALSE.plan  # so it is the kept one that is read


def test_a_changed_plan_is_derived_anew(cache: Path) -> None:
    offers()
    plant(cache)
    plan = Path(edition.PACKAGE) / "paths.toml"
    plan.write_text(plan.read_text() + "# changed\n")
    edition.edition.cache_clear()  # as in another process
    assert offers()[0].plan == "wrt54/paths"


def test_another_version_is_derived_anew(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offers()
    plant(cache)
    monkeypatch.setattr("gatemark.__version__", "9.9.9")
    edition.edition.cache_clear()
    assert offers()[0].plan == "wrt54/paths"


def test_a_damaged_list_is_derived_anew(cache: Path) -> None:
    offers()
    for text in ("", "{}", "[]", '{"key": 1', "\0"):
        cache.write_text(text)
        assert offers()[0].plan == "wrt54/paths", text


def test_a_cache_that_cannot_be_written_is_no_failure(cache: Path) -> None:
    cache.parent.parent.mkdir()
    cache.parent.write_text("a file in the folder's place")
    assert offers()[0].plan == "wrt54/paths"
