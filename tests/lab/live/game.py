# SPDX-License-Identifier: Apache-2.0
"""Teeworlds: its server on one host, its client on another, drawn without a screen and played.

No capture that the model was trained on is of Teeworlds. The client runs under a virtual X server,
which draws by software; xdotool plays: it runs, jumps, aims and fires without a pause.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from gatemark.node.shell import Here
from lab.live.started import started, until

PORT: Final = 8303
PROGRAMS: Final = ("teeworlds", "teeworlds-server", "Xvfb", "xdotool")
PATHS: Final = "/usr/games:/usr/bin:/bin"  # Debian's place of games is not in root's PATH
SERVER: Final = ("sv_name gatemark", f"sv_port {PORT}", "sv_register 0", "sv_map dm1")
CLIENT: Final = (
    *("gfx_fullscreen 0", "gfx_screen_width 320", "gfx_screen_height 240", "gfx_vsync 0"),
    *("gfx_limitfps 1", "gfx_maxfps 60", "snd_enable 0", "cl_cpu_throttle 2"),
)
# One thread draws, and no sound is looked for.
SOFTWARE: Final = {
    "LIBGL_ALWAYS_SOFTWARE": "1",
    "LP_NUM_THREADS": "1",
    "SDL_AUDIODRIVER": "dummy",
}
PLAY: Final = """
while :; do
    xdotool keydown d click 1 mousemove_relative -- 40 9 sleep .2 key space sleep .3 keyup d
    xdotool keydown a click 1 mousemove_relative -- -40 -9 sleep .3 key space sleep .2 keyup a
done
"""


def lacking() -> str:
    """The program that is not here; "" where all are."""
    return next((name for name in PROGRAMS if not shutil.which(name, path=PATHS)), "")


@contextmanager
def served(wan: Here, folder: Path) -> Iterator[Callable[[], str]]:
    """A server that listens; yields what reads its log."""
    with started(
        wan, _path("teeworlds-server"), *SERVER, log=folder / "server", env={"HOME": str(folder)}
    ) as log:
        until(lambda: "server name" in log(), "the server")
        yield log


@contextmanager
def played(lan: Here, address: str, log: Callable[[], str], folder: Path) -> Iterator[None]:
    """A client in the game of the server that `log` is of."""
    with ExitStack() as stack:
        x_server = ("Xvfb", "-displayfd", "1", "-screen", "0", "320x240x24", "-nolisten", "tcp")
        screen = stack.enter_context(started(lan, *x_server, log=folder / "screen"))
        until(lambda: re.search(r"^\d+$", screen(), re.MULTILINE), "the X server")
        number = re.findall(r"^\d+$", screen(), re.MULTILINE)[0]
        env = {"HOME": str(folder), "DISPLAY": f":{number}", **SOFTWARE}
        words = (_path("teeworlds"), *CLIENT, f"connect {address}:{PORT}")
        stack.enter_context(started(lan, *words, log=folder / "client", env=env))
        until(lambda: "team_join" in log(), "a player in the game")
        stack.enter_context(started(lan, "sh", "-c", PLAY, log=folder / "play", env=env))
        yield


def _path(name: str) -> str:
    path = shutil.which(name, path=PATHS)
    assert path
    return path
