# SPDX-License-Identifier: Apache-2.0
"""The content of a build's image: a station file is but names of the files that it boots.

So a disk that was replaced under its name makes another image of the station file that names it.
"""

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gatemark.fleet.kept import hash_of_file

if TYPE_CHECKING:
    from gatemark.station.station import Station

HASH: Final = re.compile("[0-9a-f]{64}")  # of SHA-256


def hash_of_image(path: Path, station: "Station | None" = None) -> str:
    """SHA-256 of an image; of a station's file with all that it boots. Raises OSError."""
    hashes = [hash_of_file(each) for each in (path, *(_booted(station) if station else ()))]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def in_short(known_by: str) -> str:
    """Return the begin of a hash; a setup and the name of a package stay whole."""
    return known_by[:16] if HASH.fullmatch(known_by) else known_by


def _booted(station: "Station") -> list[Path]:
    """The files that a virtual gateway starts from, in a fixed order; a device has none here."""
    from gatemark.station.qemu.lab import VirtualLab

    if not isinstance(station, VirtualLab):
        return []
    model = station.model
    files = (model.kernel, model.initramfs, model.disk, model.official)
    return [file for file in files if file]
