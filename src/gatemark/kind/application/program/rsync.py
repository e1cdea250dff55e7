# SPDX-License-Identifier: Apache-2.0
"""A download by rsync, from a daemon of its own."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.program.torrent import PIECE, PIECES, TORRENT, loaded_bytes

PORT: Final = 873
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
    stage.pause(stage.seconds)
    came = loaded_bytes(stage.folder / "data")
    if not came:
        raise RuntimeError(f"rsync loaded nothing: {loading.text().strip()}")
    yield {"values": {"download_bps": came * 8 / stage.seconds}}


RSYNC: Final = replace(
    TORRENT,
    name="rsync",
    title="download (rsync)",
    label="bulk",
    needs={"rsync": "rsync"},
    serve=serve,
    use=use,
)
