# SPDX-License-Identifier: Apache-2.0
"""A remote desktop: the time from a key to the change of the picture, in a terminal's window.

The desktop is TigerVNC's with an xterm. The viewer is our own, since no other says when it saw what
(rfb.py). The next key is pressed when the last one was seen, and 200 ms after it at the soonest.
"""

import os
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.program.ssh import EVERY_S, TYPING, UNSEEN_S, unseen
from gatemark.kind.application.rfb import Viewer

PORT: Final = 5900
SCREEN: Final = ":0"  # no other X server is in this namespace, and no file says so
DESKTOP: Final = (
    *("-nolisten", "unix", "-listen", "local", "-SecurityTypes", "None"),
    *("-geometry", "640x400", "-depth", "16", "-AcceptSetDesktopSize=0"),
)
# It shows each letter once, and no cursor: a key changes the picture in one place.
TERMINAL: Final = "#!/bin/sh\nstty -echo -icanon; printf '\\033[?25l'; exec cat\n"
QUIET_S: Final = 1.0  # without a change: the desktop is drawn
DRAWN_S: Final = 15.0


def serve(stage: Stage) -> Iterator[Report]:
    """Have a desktop with a window."""
    os.environ["DISPLAY"] = SCREEN
    words = (*DESKTOP, "-interface", stage.far, "-rfbport", str(PORT))
    stage.start("Xtigervnc", SCREEN, *words)
    stage.listening(PORT)
    letters = stage.file("letters", TERMINAL, 0o700)
    stage.start("xterm", "-geometry", "100x30+0+0", "-e", str(letters))
    stage.pause(QUIET_S)
    yield {}


def use(stage: Stage) -> Iterator[Report]:
    """Look at it, and press keys."""
    with Viewer(stage.far, PORT) as viewer:
        viewer.press("x")
        drawn = time.monotonic() + DRAWN_S
        while viewer.changed(QUIET_S) and time.monotonic() < drawn:
            stage.pause(0.0)
        yield {}
        took: list[float] = []
        began = time.monotonic()
        while (pressed := time.monotonic()) - began < stage.seconds:
            viewer.press("x")
            is_seen = viewer.changed(UNSEEN_S)
            took.append((time.monotonic() - pressed if is_seen else UNSEEN_S) * 1e9)
            stage.pause(max(0.0, pressed + EVERY_S - time.monotonic()))
            viewer.changed(0.0)  # of a key that was not seen in time
    yield {"samples": {"letter": took}, "values": {"letters_unseen_share": unseen(took)}}


VNC: Final = replace(
    TYPING,
    name="vnc",
    title="remote desktop (VNC)",
    needs={"Xtigervnc": "tigervnc-standalone-server", "xterm": "xterm"},
    serve=serve,
    use=use,
)
