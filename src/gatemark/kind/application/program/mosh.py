# SPDX-License-Identifier: Apache-2.0
"""Typing over mosh, as over ssh: the far end's echo alone is waited for, none is predicted.

It sends what a screen looks like, at most as often as the way bears, so it is a little slower than
ssh where all is well, and not held up by what was lost.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from gatemark.kind.application.application import Report, Stage
from gatemark.kind.application.program.ssh import TYPING, Chunks, typed

PORT: Final = 60001
KEY: Final = re.compile(r"MOSH CONNECT \d+ (\S+)")
LETTER: Final = b"x"
CONTROL: Final = re.compile(rb"\x1b\[[?0-9;]*[a-zA-Z]")
# A terminal needs a size: without one the client ends at once.
TERMINAL: Final = "stty rows 24 cols 80; exec mosh-client {} {}"


def serve(stage: Stage) -> Iterator[Report]:
    """Let in who has the key, once; the far terminal echoes."""
    server = stage.start("mosh-server", "new", "-i", stage.far, "-p", str(PORT), "--", "cat")
    server.says("MOSH CONNECT", 10.0)
    match = KEY.search(server.text())
    assert match
    yield {"key": match[1]}


def use(stage: Stage) -> Iterator[Report]:
    """Log in, and type."""
    run = TERMINAL.format(stage.far, PORT)
    words = (f"MOSH_KEY={stage.handed['key']}", "MOSH_PREDICTION_DISPLAY=never", "TERM=xterm")
    shell = stage.start("env", *words, "script", "-qfec", run, "/dev/null", talks=True)
    stage.pause(0.3)
    shell.write(LETTER)
    shell.says(LETTER.decode(), 15.0)
    stage.pause(0.5)
    yield {}
    yield typed(stage, shell, LETTER, letters)


def letters(chunks: Chunks) -> list[int]:
    """Return when each letter was drawn."""
    return [at for at, piece in chunks for _ in range(CONTROL.sub(b"", piece).count(LETTER))]


MOSH: Final = replace(
    TYPING,
    name="mosh",
    title="typing (mosh)",
    needs={"mosh-server": "mosh", "mosh-client": "mosh", "script": "bsdutils"},
    serve=serve,
    use=use,
)
