# SPDX-License-Identifier: Apache-2.0
"""A camera's video by RTSP and RTP: ffmpeg records at one end what it sends at the other.

What is lost is not sent again. Each packet is seen at both ports, by its number (RFC 3550).
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.program.call_sip import rtp
from gatemark.kind.application.program.srt import CODEC, PICTURE, VIDEO, VIDEO_RATE

PORT: Final = 554
RTCP_PORT: Final = 5001  # of the receiver: ffmpeg takes its lowest pair
PATH: Final = f":{PORT}/camera"
QUIET: Final = ("-nostdin", "-loglevel", "error")


def serve(stage: Stage) -> Iterator[Report]:
    """Wait for a camera, and decode what it sends."""
    url = f"rtsp://{stage.far}{PATH}"
    stage.start("ffmpeg", *QUIET, "-rtsp_flags", "listen", "-i", url, "-f", "null", "-")
    stage.listening(PORT)
    yield {}
    stage.until_over()
    yield {"live": stage.tap.packets()}


def use(stage: Stage) -> Iterator[Report]:
    """Be the camera: a moving picture at its own pace."""
    camera = stage.start(
        *("ffmpeg", *QUIET, "-re", "-f", "lavfi", "-i", PICTURE),
        *(*CODEC, "-b:v", VIDEO_RATE, "-maxrate", VIDEO_RATE, "-bufsize", "150k"),
        *("-f", "rtsp", "-rtsp_transport", "udp", f"rtsp://{stage.far}{PATH}"),
    )
    for _ in range(100):
        if stage.tap.packets()["sent"] or camera.is_over:
            break
        stage.pause(0.1)
    stage.pause(1.0)
    if camera.is_over:
        raise RuntimeError(f"the camera has ended: {camera.text().strip()}")
    yield {}
    stage.pause(stage.seconds)
    yield {"live": stage.tap.packets()}


CAMERA: Final = replace(
    VIDEO,
    name="rtsp",
    title="camera (RTSP)",
    label="stream",
    needs={"ffmpeg": "ffmpeg"},
    setup=(PORT, RTCP_PORT),
    packet=rtp,
    serve=serve,
    use=use,
)
