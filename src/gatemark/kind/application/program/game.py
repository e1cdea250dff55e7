# SPDX-License-Identifier: Apache-2.0
"""A game: teeworlds, its server on the WAN host, a player on the LAN host without a screen.

Every 40 ms the server sends a snapshot of the world; the player's hands go up at least as often as
they move. Each packet is known at both ports by the digest of its first bytes: the figures are of
packets, since the game tells none.
"""

import os
import zlib
from collections.abc import Iterator
from typing import Final

from gatemark.kind.application.application import Application, Quality, Report, Stage

PORT: Final = 8303
SNAPSHOT_NS: Final = 40e6  # the server's tick is 20 ms, and each second one is sent
SERVER: Final = ("sv_name gatemark", f"sv_port {PORT}", "sv_register 0", "sv_map dm1")
# It draws little, by software, and where nobody looks.
CLIENT: Final = (
    *("gfx_fullscreen 0", "gfx_screen_width 320", "gfx_screen_height 240", "gfx_vsync 0"),
    *("gfx_limitfps 1", "gfx_maxfps 30", "snd_enable 0", "cl_cpu_throttle 2"),
)
SCREEN: Final = {
    "SDL_VIDEODRIVER": "offscreen",
    "SDL_AUDIODRIVER": "dummy",
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "LP_NUM_THREADS": "1",
}
EACH_S: Final = 8  # packets of each end in a game, at least; while it loads, there are fewer
IN_S: Final = 30.0  # until it is in the game, on a busy machine
TOKEN_AT, HEADER = 3, 7  # of teeworlds 0.7: flags and acknowledged, chunks, token
CONNECTIONLESS: Final = 0x20
ON_ITS_WAY_S: Final = 1.0
MS: Final = 1e6


def serve(stage: Stage) -> Iterator[Report]:
    """Have a world, and wait until a player is in it."""
    server = stage.start("teeworlds-server", *SERVER)
    stage.listening(PORT, "udp")
    yield {}
    server.says("has entered the game", 5.0)
    stage.until_over()
    yield {"game": stage.tap.packets(), "every_ns": SNAPSHOT_NS}


def use(stage: Stage) -> Iterator[Report]:
    """Enter, and stand there."""
    os.environ |= SCREEN
    client = stage.start("teeworlds", *CLIENT, f"connect {stage.far}:{PORT}")
    client.says("loading done", IN_S)
    yield from played(stage)


def played(stage: Stage) -> Iterator[Report]:
    """Wait until the world is there and both ends send steadily, and play."""
    before, now = 0, 0
    while now - before < EACH_S:
        stage.pause(1.0)
        before, now = now, min(map(len, stage.tap.packets().values()))
    yield {}
    stage.pause(stage.seconds + ON_ITS_WAY_S)
    yield {"game": stage.tap.packets()}


def packet(payload: bytes) -> tuple[int, int] | None:
    """Return the token and a digest of a packet of a connection; None of others."""
    if len(payload) < HEADER or payload[0] & CONNECTIONLESS:
        return None
    return int.from_bytes(payload[TOKEN_AT:HEADER], "big"), zlib.crc32(payload)


GAME: Final = Application(
    name="game",
    title="game (Teeworlds)",
    about="game",
    label="game",
    needs={
        "teeworlds": "teeworlds",
        "teeworlds-server": "teeworlds-server",
        "/usr/lib/*/libEGL.so.1": "libegl1",
        "/usr/lib/*/dri/swrast_dri.so": "libgl1-mesa-dri",
    },
    qualities=(
        Quality(
            quantity="game_answer_p95_ns",
            good=100 * MS,
            bad=250 * MS,
            source="100 ms: a shooter's player feels more (Claypool 2006); 250 ms: our choice",
        ),
        Quality(
            quantity="game_late_share",
            good=0.02,
            bad=0.1,
            source="our choice: each 2 s, and more than twice a second, the others stand still",
        ),
    ),
    waits=0.3,
    packet=packet,
    serve=serve,
    use=use,
)
