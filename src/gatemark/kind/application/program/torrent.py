# SPDX-License-Identifier: Apache-2.0
"""A download by BitTorrent: aria2 at both ends, three seeders, a tracker of our own."""

import hashlib
import random
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from gatemark.kind.application.application import Application, Quality, Report, Stage

SEEDERS: Final = 3
FIRST_PORT: Final = 6901
TRACKER_PORT: Final = 6969
PIECE: Final = 1 << 18
PIECES: Final = 256  # 64 MiB
BLOCK: Final = 512  # bytes of st_blocks (stat(2))
BOTH: Final = (
    *("--enable-dht=false", "--enable-dht6=false", "--bt-enable-lpd=false", "--no-conf=true"),
    *("--enable-peer-exchange=false", "--file-allocation=none", "--summary-interval=0"),
)


def serve(stage: Stage) -> Iterator[Report]:
    """Seed a file of random bytes, and name the seeders to who asks."""
    data = random.Random(1).randbytes(PIECE)  # noqa: S311  nothing secret
    pieces = hashlib.sha1(data, usedforsecurity=False).digest() * PIECES
    with (stage.folder / "data").open("wb") as file:
        for _ in range(PIECES):
            file.write(data)
    info = {b"length": PIECE * PIECES, b"name": b"data", b"piece length": PIECE, b"pieces": pieces}
    tracker = f"http://{stage.far}:{TRACKER_PORT}/announce".encode()
    torrent = stage.file("torrent", bencoded({b"announce": tracker, b"info": info}))
    threading.Thread(target=track, args=(stage.far,), daemon=True).start()
    for at in range(SEEDERS):
        stage.start(
            *("aria2c", *BOTH, "--check-integrity=true", "--seed-ratio=0.0"),
            *(f"--listen-port={FIRST_PORT + at}", f"--dir={stage.folder}", str(torrent)),
        )
        stage.listening(FIRST_PORT + at)
    yield {"torrent": torrent.read_bytes().hex()}


def use(stage: Stage) -> Iterator[Report]:
    """Load it from the judged time's begin."""
    torrent = stage.file("torrent", bytes.fromhex(stage.handed["torrent"]))
    yield {}
    stage.start(
        *("aria2c", *BOTH, "--seed-time=0", "--listen-port=6999", "--disk-cache=0"),
        *(f"--dir={stage.folder}", str(torrent)),
    )
    stage.pause(stage.seconds)
    yield {"values": {"download_bps": loaded_bytes(stage.folder / "data") * 8 / stage.seconds}}


def bencoded(value: Any) -> bytes:
    """Return a value as BitTorrent writes it (BEP 3)."""
    match value:
        case int():
            return b"i%de" % value
        case bytes():
            return b"%d:%s" % (len(value), value)
        case dict():
            return b"d%se" % b"".join(bencoded(k) + bencoded(v) for k, v in sorted(value.items()))
    raise TypeError(type(value).__name__)


def track(address: str) -> None:
    """Answer each request with the seeders (BEP 23), as long as this process is."""
    peers = b"".join(
        socket.inet_aton(address) + struct.pack("!H", FIRST_PORT + at) for at in range(SEEDERS)
    )
    body = bencoded({b"interval": 60, b"peers": peers})
    head = b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
    with socket.create_server((address, TRACKER_PORT)) as ours:
        while True:
            asking, _ = ours.accept()
            with asking:
                asking.settimeout(2.0)
                try:
                    asking.recv(4096)
                    asking.sendall(head + body)
                except OSError:
                    continue


def loaded_bytes(path: Path) -> int:
    """Return how much of a file is there: pieces come in any order, and leave holes."""
    return path.stat().st_blocks * BLOCK if path.exists() else 0


TORRENT: Final = Application(
    name="torrent",
    title="download (BitTorrent)",
    about="download",
    label="p2p",
    needs={"aria2c": "aria2"},
    qualities=(
        Quality(
            quantity="download_bps",
            good=0.8,
            bad=0.5,
            is_more=True,
            of_clean=True,
            source="our choice, as a share of the rate without anything beside",
        ),
    ),
    setup=(TRACKER_PORT,),
    waits=0.3,
    serve=serve,
    use=use,
    least_s=6.0,
)
