# SPDX-License-Identifier: Apache-2.0
"""A film by DASH in three rates, from nginx into GStreamer's player, which chooses the rate.

The player draws into nothing, at the film's own pace, and prints each picture as it is due: its
size says the rate, its time whether the film stood still.
"""

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.program.film import FILM, START_S
from gatemark.kind.application.reel import MAKE, RATES, height, squeezed
from gatemark.kind.application.web import SERVER, served

PLUGINS: Final = {
    "playback": "plugins-base",
    "soup": "plugins-good",
    "dash": "plugins-bad",
    "libav": "libav",
}
STILL_NS: Final = 0.25e9  # three pictures' time: one that is later than that is waited for
SHOWN: Final = re.compile(rb"chain .*?\((\d+) bytes,")
# Bytes of a picture, 4:2:0, -> kbit/s.
SIZES: Final = {width * height(width) * 3 // 2: rate for width, rate in RATES.items()}
SCREEN: Final = "video-sink=fakesink sync=true silent=false"


def serve(stage: Stage) -> Iterator[Report]:
    """Make the film, a minute in parts of two seconds, and serve it, by plain HTTP too."""
    stage.file("www/index.html", "")
    words = [word for _ in RATES for word in ("-map", "0:v")]
    for at, width in enumerate(RATES):
        words += squeezed(width, at)
    stage.run(
        *(*MAKE, *words),
        *("-f", "dash", "-seg_duration", "2", "-adaptation_sets", "id=0,streams=v"),
        f"{stage.folder}/www/film.mpd",
    )
    served(stage, f"; listen {stage.far}:80")
    yield {}


def use(stage: Stage) -> Iterator[Report]:
    """Start the film in the judged time, and watch."""
    stage.run("gst-inspect-1.0", "playbin")  # it looks for all its plugins once
    yield {}
    began_ns = time.monotonic_ns()
    url = f"uri=http://{stage.far}/film.mpd"
    player = stage.start("gst-launch-1.0", "-v", "playbin", url, SCREEN)
    stage.pause(stage.seconds)
    yield watched(player.chunks(), began_ns, time.monotonic_ns())


def watched(chunks: Sequence[tuple[int, bytes]], began_ns: int, end_ns: int) -> Report:
    """Return the time to the first picture, the share of waiting, and of the highest rate."""
    shown = [(at, int(pixels)) for at, piece in chunks for pixels in SHOWN.findall(piece)]
    if not shown:
        return {"values": {"film_start_ns": START_S * 1e9, "film_waiting_share": 1.0}}
    times = [at for at, _ in shown]
    gaps = [after - at for at, after in zip(times, [*times[1:], end_ns], strict=True)]
    waited = [gap for gap in gaps if gap > STILL_NS]
    rates = [SIZES[pixels] for _, pixels in shown[len(shown) // 2 :]]  # it begins low
    return {
        "values": {
            "film_start_ns": times[0] - began_ns,
            "film_waiting_share": sum(waited) / (end_ns - times[0]),
            "film_rate_share": sum(rates) / len(rates) / max(RATES.values()),
        },
        "words": {"waits": len(waited)},
    }


DASH: Final = replace(
    FILM,
    name="dash",
    title="film (DASH)",
    needs={
        **SERVER,
        "ffmpeg": "ffmpeg",
        "gst-launch-1.0": "gstreamer1.0-tools",
        **{
            f"/usr/lib/*/gstreamer-1.0/libgst{name}.so": f"gstreamer1.0-{package}"
            for name, package in PLUGINS.items()
        },
    },
    waits=0.3,
    serve=serve,
    use=use,
)
