# SPDX-License-Identifier: Apache-2.0
"""Each QEMU gets the object of its own plugin interface: QEMU 10 refuses those of interface 1."""

import ctypes
import os
from collections.abc import Iterator

import pytest

from gatemark.station import plugin
from gatemark.station.load import load


@pytest.mark.parametrize("interface", sorted(plugin.SINCE))
def test_an_object_asks_for_the_interface_of_its_name(interface: int) -> None:
    file = plugin.object_file(interface)
    if not file.exists():
        pytest.skip("no plugin built: make counter")
    # Lazily, since QEMU's functions are missing here.
    asked = ctypes.c_int.in_dll(ctypes.CDLL(str(file), mode=os.RTLD_LAZY), "qemu_plugin_version")
    assert asked.value == interface


@pytest.mark.parametrize(
    ("text", "interface"),
    [
        ("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)", 1),
        ("QEMU emulator version 8.2.2 (Debian 1:8.2.2+ds-0ubuntu1)", 1),
        ("QEMU emulator version 9.0.0", 2),
        ("QEMU emulator version 10.0.13 (Debian 1:10.0.13+ds-0+deb13u1)", 2),
    ],
)
def test_a_version_has_the_interface_that_it_takes(text: str, interface: int) -> None:
    assert plugin._interface(text) == interface


@pytest.fixture
def asked_anew() -> Iterator[None]:
    """Forget what an emulator answered, before and after."""
    plugin.version.cache_clear()
    yield
    plugin.version.cache_clear()


@pytest.mark.usefixtures("asked_anew")
def test_a_run_has_the_version_of_its_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    """QEMU 7.2 and 10 count string instructions of x86 otherwise, so `diff` has to tell of it."""
    text = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)"
    monkeypatch.setattr(plugin, "_asked", lambda *_: text)
    info = load("qemu-x86").info
    assert info.placement["gateway"].endswith(", vcpu of qemu-system-x86_64 7.2.22")


@pytest.mark.usefixtures("asked_anew")
def test_an_emulator_that_is_not_there_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert plugin.version("qemu-system-x86_64") == ""
