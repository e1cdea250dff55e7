# SPDX-License-Identifier: Apache-2.0
"""A film by HLS in three rates, from nginx into chromium's own player, which chooses the rate."""

import time
from collections.abc import Iterator
from typing import Final

from gatemark.kind.application.application import Application, Quality, Report, Stage
from gatemark.kind.application.reel import MAKE, RATES, height, squeezed
from gatemark.kind.application.web import NEEDS, served

START_S: Final = 20.0  # longest wait for the first picture
SCRIPT: Final = """
const v = document.querySelector('video');
window.seen = {waits: [], began: 0, start: 0, widths: []};
let since = 0;
v.addEventListener('playing', () => {
  const now = performance.now();
  if (!seen.start) seen.start = now - seen.began;
  if (since) seen.waits.push([since, now]);
  since = 0;
});
v.addEventListener('waiting', () => { if (seen.start) since = since || performance.now(); });
setInterval(() => {
  if (seen.start && !since) seen.widths.push(v.videoWidth);
}, 100);
window.play = () => { seen.began = performance.now(); v.src = 'film.m3u8'; v.play(); };
window.report = () => ({...seen, now: performance.now(), open: since,
  dropped: v.getVideoPlaybackQuality().droppedVideoFrames, error: v.error && v.error.message});
"""


def serve(stage: Stage) -> Iterator[Report]:
    """Make the film, a minute in parts of two seconds, and serve it."""
    page = f"<!doctype html><video muted></video><script>{SCRIPT}</script>"
    stage.file("www/index.html", page)
    words: list[str] = []
    master = "#EXTM3U\n"
    for width, kbits in RATES.items():
        name = f"{stage.folder}/www/{width}"
        words += [
            *("-map", "0:v", *squeezed(width), "-f", "hls"),
            *("-hls_time", "2", "-hls_playlist_type", "vod", "-hls_segment_type", "fmp4"),
            *("-hls_fmp4_init_filename", f"{width}-init.mp4", f"{name}.m3u8"),
        ]
        like = f'RESOLUTION={width}x{height(width)},CODECS="avc1.42c01f"'
        master += f"#EXT-X-STREAM-INF:BANDWIDTH={kbits * 1100},{like}\n{width}.m3u8\n"
    stage.run(*MAKE, *words)
    stage.file("www/film.m3u8", master)
    served(stage)
    yield {}


def use(stage: Stage) -> Iterator[Report]:
    """Start the film in the judged time, and watch."""
    options = ("--ignore-certificate-errors", "--autoplay-policy=no-user-gesture-required")
    page = stage.browser(*options).page()
    page.go(f"https://{stage.far}/index.html", START_S)
    yield {}
    began = time.monotonic()
    page.run("play()")
    stage.pause(began + stage.seconds - time.monotonic())
    yield watched(page.run("report()"))


def watched(seen: Report) -> Report:
    """Return the time to the first picture, the share of waiting, and of the highest rate."""
    if seen.get("error"):
        raise RuntimeError(f"the film was not played: {seen['error']}")
    played = seen["now"] - seen["began"] - seen["start"]
    if not seen["start"]:
        return {"values": {"film_start_ns": START_S * 1e9, "film_waiting_share": 1.0}}
    waited = sum(end - since for since, end in seen["waits"])
    waited += seen["now"] - seen["open"] if seen["open"] else 0.0
    shown = [RATES[width] for width in seen["widths"] if width in RATES]
    later = shown[len(shown) // 2 :]  # it begins low, and looks how much there is
    rate = sum(later) / max(1, len(later))
    return {
        "values": {
            "film_start_ns": seen["start"] * 1e6,
            "film_waiting_share": waited / max(1.0, played),
            "film_rate_share": rate / max(RATES.values()),
        },
        "words": {"waits": len(seen["waits"]) + bool(seen["open"]), "dropped": seen["dropped"]},
    }


FILM: Final = Application(
    name="film",
    title="film (HLS)",
    about="film",
    label="stream",
    needs={**NEEDS, "ffmpeg": "ffmpeg"},
    qualities=(
        Quality(
            quantity="film_waiting_share",
            short="waiting",
            good=0.0,
            bad=0.03,
            source="our choice; an input of P.1203, not its score",
        ),
        Quality(
            quantity="film_rate_share",
            short="of the rate",
            good=0.7,
            bad=0.0,  # never: a film that plays in a small picture is fair
            is_more=True,
            source="our choice: of the highest rate that is offered",
        ),
    ),
    waits=1.0,
    serve=serve,
    use=use,
    least_s=8.0,
)
