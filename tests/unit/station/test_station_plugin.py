# SPDX-License-Identifier: Apache-2.0
"""Each QEMU gets the object of its own plugin interface: QEMU 10 refuses those of interface 1."""

import ctypes
import os

import pytest

from gatemark.station import plugin


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
