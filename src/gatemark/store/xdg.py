# SPDX-License-Identifier: Apache-2.0
"""Where files go that belong to no run: never beside the code, which may be read-only.

The places are those of the XDG Base Directory Specification. Without HOME the user database knows
the home folder; root without any has the system's places.
"""

import os
from pathlib import Path

from gatemark.error import UnavailableError

CACHE, STATE, CONFIG = "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"


def cache() -> Path:
    """For what can be made again: images, symbols, the script of the pages."""
    return _folder(CACHE, ".cache", "/var/cache")


def state() -> Path:
    """For what must outlive a crash: how to undo changes of a device."""
    return _folder(STATE, ".local/state", "/var/lib")


def config() -> Path:
    """For what the user puts there: station files that Wireshark lists."""
    return _folder(CONFIG, ".config", "/etc")


def make(path: Path) -> Path:
    """A folder below `cache()`, made where it is missing. Raises UnavailableError with the fix."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fix = f"set {CACHE} to a folder that may be written"
        raise UnavailableError(f"{path}: {error.strerror}; {fix}") from None
    return path


def _folder(variable: str, below_home: str, of_system: str) -> Path:
    base = os.environ.get(variable, "")
    if base.startswith("/"):  # the specification: a relative path is to be ignored
        return Path(base) / "gatemark"
    try:
        return Path.home() / below_home / "gatemark"
    except RuntimeError:
        if os.geteuid() == 0:
            return Path(of_system) / "gatemark"
        raise UnavailableError(f"this user has no home folder; set {variable}") from None
