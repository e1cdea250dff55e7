# SPDX-License-Identifier: Apache-2.0
"""A film of a minute in three rates, made by ffmpeg: with noise, so that it fills its rate."""

from typing import Final

RATES: Final = {160: 250, 320: 600, 480: 1500}  # width in pixels -> kbit/s
FILM_S: Final = 60
SOURCE: Final = f"testsrc2=size=160x90:rate=12:duration={FILM_S}"
MAKE: Final = ("ffmpeg", "-nostdin", "-loglevel", "error", "-f", "lavfi", "-i", SOURCE)


def height(width: int) -> int:
    """Return the height of a picture, an even number."""
    return width * 9 // 16 // 2 * 2


def squeezed(width: int, at: int = 0) -> tuple[str, ...]:
    """Return the words that make the stream `at` of an output, of a width in RATES."""
    rate = f"{RATES[width]}k"
    return (
        *(f"-filter:v:{at}", f"scale={width}:{height(width)},noise=alls=60:allf=t"),
        *(f"-c:v:{at}", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"),
        *(f"-b:v:{at}", rate, f"-maxrate:v:{at}", rate, f"-bufsize:v:{at}", rate),
        *("-g", "24", "-keyint_min", "24", "-sc_threshold", "0"),
    )
