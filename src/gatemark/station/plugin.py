# SPDX-License-Identifier: Apache-2.0
"""The plugin that counts instructions: which object the installed QEMU takes, and whether."""

import re
import subprocess
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

from gatemark.error import UnavailableError
from gatemark.node.build import built

# QEMU's plugin interface -> the first version of QEMU that takes no lower one.
SINCE: Final = {1: (4, 2), 2: (9, 0)}
ANSWER_S: Final = 10.0
OTHER: Final = "use a QEMU that was built with plugins"


def object_file(interface: int) -> Path:
    """The object that was built for an interface."""
    return Path(str(resources.files("gatemark"))) / "counters" / f"counter-{interface}.so"


def interface_of(file: Path) -> int:
    """Which interface an object was built for."""
    return int(file.stem.rpartition("-")[2])


@cache
def plugin(emulator: str) -> Path:
    """The object for an emulator of this machine. Raises UnavailableError with the fix."""
    interface = _interface(_asked(emulator, "--version"))
    file = object_file(interface)
    built(file, "plugin that counts instructions")
    # Without out=FILE the plugin itself says so, if QEMU can load it, and QEMU ends.
    text = _asked(emulator, "-M", "none", "-display", "none", "-plugin", str(file))
    if "out=FILE" not in text:
        why = text.strip().splitlines()[-1:] or ["it said nothing"]
        raise UnavailableError(f"{emulator} does not load plugins: {why[0]}; {OTHER}")
    return file


@cache
def version(emulator: str) -> str:
    """The version of an emulator of this machine, since each counts in its own way; "" if unknown.

    QEMU 7.2 counts a string instruction of x86 once for each element, QEMU 10 once
    (findings/qemu-rep-counts.sh).
    """
    try:
        match = re.search(r"version (\d+(\.\d+)+)", _asked(emulator, "--version"))
    except UnavailableError:
        return ""
    return match[1] if match else ""


def _interface(text: str) -> int:
    match = re.search(r"version (\d+)\.(\d+)", text)
    version = (int(match[1]), int(match[2])) if match else (0, 0)
    return max((number for number, since in SINCE.items() if version >= since), default=min(SINCE))


def _asked(*command: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=ANSWER_S
        )
    except FileNotFoundError:
        raise UnavailableError(f"no {command[0]} here") from None
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"{command[0]} did not end within {ANSWER_S:g} s") from None
    return done.stdout + done.stderr
