# SPDX-License-Identifier: Apache-2.0
"""A call with pictures in the browser: two chromium, with a beep and a moving test picture.

They meet at a page that the WAN host serves, and use the way of the default route alone: by itself
a browser tries all interfaces, and takes the cable between both hosts. Voice is what the E-model
makes of three things: each packet's way between both ports, the browser's own buffer, and the sound
that it had to make up.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Page, Quality, Report, Stage
from gatemark.kind.application.meeting import PORT, Meeting
from gatemark.kind.application.program.call_sip import CALL, HEADER, rtp
from gatemark.kind.application.rtc import PAGE, seen

OPUS: Final = 111  # its payload type, as chromium offers it
PAGE_S: Final = 30.0
ON_ITS_WAY_S: Final = 1.5
FLOWING: Final = 100  # looks, 0.2 s each


def serve(stage: Stage) -> Iterator[Report]:
    """Serve the page, and call whoever comes to it."""
    Meeting(stage.far, PAGE)
    page = visited(stage)
    page.run(f"offer('{stage.far}')")
    yield {}
    before = page.run("report()")
    stage.pause(stage.seconds)
    after = page.run("report()")
    stage.until_over()
    yield seen(before, after, stage.tap.packets())


def use(stage: Stage) -> Iterator[Report]:
    """Come to the page, answer, and wait until sound and picture flow."""
    page = visited(stage)
    page.run(f"answer('{stage.near}')")
    yield from watched(stage, page)


def watched(stage: Stage, page: Page) -> Iterator[Report]:
    """Wait until sound and picture flow, and report on them."""
    for _ in range(FLOWING):
        if page.run("report()").get("inbound-rtp video", {}).get("framesDecoded", 0) > 0:
            break
        stage.pause(0.2)
    stage.pause(2.0)  # it looks how much there is
    yield {}
    before = page.run("report()")
    stage.pause(stage.seconds)
    after = page.run("report()")
    stage.pause(ON_ITS_WAY_S)
    yield seen(before, after, stage.tap.packets())


def visited(stage: Stage) -> Page:
    """Return the page that the WAN host serves, in a browser that may use its microphone."""
    url = f"http://{stage.far}:{PORT}/"
    page = stage.browser(
        *("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"),
        "--autoplay-policy=no-user-gesture-required",
        "--webrtc-ip-handling-policy=default_public_and_private_interfaces",
        f"--unsafely-treat-insecure-origin-as-secure={url}",
    ).page()
    page.go(url, PAGE_S)
    return page


def packet(payload: bytes) -> tuple[int, int] | None:
    """Return source and number of a packet of sound; None of pictures and others."""
    is_sound = len(payload) >= HEADER.size and payload[1] & 0x7F == OPUS
    return rtp(payload) if is_sound else None


CHROMIUM: Final = replace(
    CALL,
    name="call-webrtc",
    title="call (WebRTC)",
    label="vconf",
    setup=(PORT,),
    needs={"chromium": "chromium"},
    qualities=(
        *CALL.qualities,
        Quality(
            quantity="call_frozen_share",
            good=0.01,
            bad=0.05,
            source="our choice: each minute, the picture stands still for 0.6 s, and for 3 s",
        ),
        Quality(
            quantity="call_frames_share",
            good=0.9,
            bad=0.5,
            is_more=True,
            source="our choice: of the pictures that the other end sent",
        ),
    ),
    waits=1.0,
    packet=packet,
    serve=serve,
    use=use,
)
