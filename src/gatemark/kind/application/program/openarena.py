# SPDX-License-Identifier: Apache-2.0
"""A shooter: openarena, its server on the WAN host, a player on the LAN host without a screen."""

import os
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.program.game import GAME, SCREEN, played

PORT: Final = 27960
SNAPSHOT_NS: Final = 50e6  # sv_fps 20
IN_S: Final = 50.0  # it loads much
ENTERED: Final = "entered the game"
OUT_OF_BAND: Final = b"\xff" * 4
SERVER: Final = f"dedicated 1, net_port {PORT}, sv_master1, sv_pure 0"
CLIENT: Final = (
    "r_mode -1, r_customwidth 160, r_customheight 120, r_fullscreen 0, com_maxfps 30, r_picmip 5, "
    "r_vertexLight 1, s_initsound 0, com_introplayed 1, cl_guid_disabled 1"
)


def serve(stage: Stage) -> Iterator[Report]:
    """Have a world, and wait until a player is in it."""
    words = ("+set", "net_ip", stage.far, *_set(SERVER), "+map", "oa_dm1")
    server = stage.start("openarena-server", *words)
    stage.listening(PORT, "udp", 20.0)
    yield {}
    server.says(ENTERED, 5.0)
    stage.until_over()
    yield {"game": stage.tap.packets(), "every_ns": SNAPSHOT_NS}


def use(stage: Stage) -> Iterator[Report]:
    """Enter, and stand there."""
    os.environ |= SCREEN
    client = stage.start("openarena", *_set(CLIENT), "+connect", f"{stage.far}:{PORT}")
    client.says(ENTERED, IN_S)
    yield from played(stage)


def _set(values: str) -> list[str]:
    """Return the words that set some values: `a 1, b 2`; `c`: to nothing."""
    pairs = (each.partition(" ") for each in values.split(", "))
    return [word for name, _, value in pairs for word in ("+set", name, value)]


def packet(payload: bytes) -> tuple[int, int] | None:
    """Return a digest of a packet of a connection; None of others."""
    return None if payload.startswith(OUT_OF_BAND) else (0, zlib.crc32(payload))


SHOOTER: Final = replace(
    GAME,
    name="openarena",
    title="game (OpenArena)",
    needs={
        **{each: package for each, package in GAME.needs.items() if "/" in each},
        "openarena": "openarena",
        "openarena-server": "openarena-server",
    },
    packet=packet,
    serve=serve,
    use=use,
)
