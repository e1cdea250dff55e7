# SPDX-License-Identifier: Apache-2.0
"""A download by rsync, from a daemon of its own."""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Running, Stage
from gatemark.kind.application.program.torrent import PIECE, PIECES, TORRENT, loaded_bytes

PORT: Final = 873
LOOK_S: Final = 0.02
CONFIG: Final = """
use chroot = no
address = {far}
port = {port}
[files]
path = {folder}/files
"""


def serve(stage: Stage) -> Iterator[Report]:
    """Serve a file."""
    filled(stage)
    config = stage.file("config", CONFIG.format(far=stage.far, port=PORT, folder=stage.folder))
    stage.start("rsync", "--daemon", "--no-detach", f"--config={config}", "--log-file=/dev/stderr")
    stage.listening(PORT)
    yield {}


def filled(stage: Stage) -> None:
    """Write `files/data`: random bytes, which nothing packs."""
    with stage.file("files/data", "").open("wb") as file:
        for _ in range(PIECES):
            file.write(os.urandom(PIECE))


def use(stage: Stage) -> Iterator[Report]:
    """Load it from the judged time's begin."""
    yield {}
    loading = stage.start(
        *("rsync", "--whole-file", "--inplace", "--no-motd"),
        *(f"rsync://{stage.far}/files/data", f"{stage.folder}/data"),
    )
    yield loaded(stage, loading)


def loaded(stage: Stage, loading: Running) -> Report:
    """Return the rate at which a program loads `data`, until it is whole or the time is over.

    Raises RuntimeError with its words where nothing comes.
    """
    began = time.monotonic()
    took_s = 0.0
    while took_s < stage.seconds and not loading.is_over:
        stage.pause(LOOK_S)
        took_s = time.monotonic() - began
    came = loaded_bytes(stage.folder / "data")
    stage.pause(stage.seconds - took_s)
    if not came:
        raise RuntimeError(f"nothing was loaded: {loading.text().strip()}")
    return {"values": {"download_bps": came * 8 / took_s}}


RSYNC: Final = replace(
    TORRENT,
    name="rsync",
    title="download (rsync)",
    label="bulk",
    needs={"rsync": "rsync"},
    serve=serve,
    use=use,
)
