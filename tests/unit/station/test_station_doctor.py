# SPDX-License-Identifier: Apache-2.0
"""What this machine cannot do is told with what would mend it."""

import os
from types import SimpleNamespace

import pytest

from gatemark.error import UnavailableError
from gatemark.station import doctor


def finding(what: str) -> doctor.Finding:
    return next(found for found in doctor.examine() if found.what == what)


def test_whatever_is_missing_has_a_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert all(found.mend for found in doctor.examine() if not found.ok)


@pytest.mark.parametrize("tool", doctor.PACKAGES)
def test_a_missing_tool_names_its_package(tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert finding(tool).mend == f"apt-get install {doctor.PACKAGES[tool]}"


@pytest.mark.parametrize(
    ("release", "ok"),
    [
        ("5.16.20", False),
        ("5.17.0", True),
        ("6.1-rc1+", True),
        ("6.1.0-28-amd64", True),
        ("10.0", True),
        ("4.19.300", False),
    ],
)
def test_the_kernel_is_new_enough(release: str, ok: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(release=release))
    assert finding("kernel").ok is ok


def test_what_is_required_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(
        UnavailableError, match=r"^rights: not root; namespaces need it: run with s"
    ):
        doctor.require()
