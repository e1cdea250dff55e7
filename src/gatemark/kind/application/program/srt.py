# SPDX-License-Identifier: Apache-2.0
"""Live video sent out by SRT: what comes later than 120 ms is too late for its picture.

The receiver's own count says nothing of that: it gives up only packets that are missing when others
behind them are due, and plays what is late in its order. So each packet is seen at both ports, by
its number (draft-sharabayko-srt, section 3.1).
"""

import json
import struct
from collections.abc import Iterator
from typing import Final

from gatemark.kind.application.application import Application, Quality, Report, Stage

PORT: Final = 9000
LATENCY_MS: Final = 120
VIDEO_RATE: Final = "300k"
COUNTS: Final = {
    "came": "packetsUnique",
    "given up": "packetsDropped",
    "sent again": "packetsRetransmitted",
}
HEADER: Final = struct.Struct("!4I")
PICTURE: Final = "testsrc2=size=320x180:rate=25"
CODEC: Final = ("-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "50")


def serve(stage: Stage) -> Iterator[Report]:
    """Receive, and count each 100 packets."""
    url = f"srt://{stage.far}:{PORT}?mode=listener&latency={LATENCY_MS}"
    counts = stage.folder / "counts"
    words = ("srt-live-transmit", "-s:20", "-pf:json", f"-statsout:{counts}", url, "file://con")
    stage.start(*words)
    stage.listening(PORT, "udp")
    yield {}
    before = counts.stat().st_size if counts.exists() else 0
    stage.until_over()
    own = counted(counts.read_text(encoding="utf-8")[before:])
    yield {"live": stage.tap.packets(), "words": own}


def use(stage: Stage) -> Iterator[Report]:
    """Send a moving picture at its own pace."""
    url = f"srt://{stage.far}:{PORT}?mode=caller&latency={LATENCY_MS * 1000}"  # in us
    stage.start(
        *("ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-f", "lavfi", "-i", PICTURE),
        *(*CODEC, "-b:v", VIDEO_RATE, "-maxrate", VIDEO_RATE, "-bufsize", "150k"),
        *("-f", "mpegts", url),
    )
    stage.pause(2.0)
    yield {}
    stage.pause(stage.seconds)
    yield {"live": stage.tap.packets()}


def counted(text: str) -> Report:
    """Return what a receiver says itself: packets, those given up, those sent again."""
    rows = [json.loads(line)["recv"] for line in text.splitlines() if line.endswith("}")]
    return {word: sum(row[name] for row in rows) for word, name in COUNTS.items()}


def data(payload: bytes) -> tuple[int, int] | None:
    """Return receiver's socket and number of a packet of data; None of control, and of others."""
    if len(payload) < HEADER.size:
        return None
    number, _, _, target = HEADER.unpack_from(payload)
    return None if number >> 31 else (target, number)


VIDEO: Final = Application(
    name="srt",
    title="live video (SRT)",
    about="live video",
    label="vconf",
    needs={"srt-live-transmit": "srt-tools", "ffmpeg": "ffmpeg"},
    qualities=(
        Quality(
            quantity="video_late_share",
            short="late",
            good=0.001,
            bad=0.01,
            source="our choice: at 1 % each second has a damaged picture",
        ),
    ),
    waits=0.2,
    packet=data,
    serve=serve,
    use=use,
)
