# SPDX-License-Identifier: Apache-2.0
"""Chromium without a screen, which takes its orders through a pipe: no port is open.

The words are those of the DevTools protocol (`--remote-debugging-pipe`): JSON, a zero byte behind
each message.
"""

import fcntl
import json
import os
import select
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Protocol

from gatemark.workload.talk import RefusedError

QUIET: Final = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--disable-extensions", "--remote-debugging-pipe"),
    *("--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider",),
)
FROM_US, TO_US = 3, 4  # its descriptors
ANSWER_S: Final = 45.0
START_S: Final = 30.0
PIECE: Final = 1 << 16
STEP_S: Final = 0.05
CHANGED: Final = "net::ERR_NETWORK_CHANGED"


class Host(Protocol):
    """The part of a stage that a browser needs."""

    def command(self, words: tuple[str, ...]) -> list[str]:
        """Return the command line with the program's path."""

    def pause(self, seconds: float) -> None:
        """Let time go by, unless all is to end."""


class Browser:
    """A running chromium."""

    def __init__(self, host: Host, options: Sequence[str]) -> None:
        self._host = host
        theirs, self._out = _pipe()
        self._in, answers = _pipe()
        words = host.command(("chromium", *QUIET, "--user-data-dir=profile", *options))
        null = os.open(os.devnull, os.O_RDWR)
        pairs = ((null, 0), (null, 1), (null, 2), (theirs, FROM_US), (answers, TO_US))
        self._pid = os.posix_spawn(
            words[0],
            [*words, "about:blank"],
            os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, ours, its) for ours, its in pairs],
            setsid=True,
        )
        os.close(null)
        os.close(theirs)
        os.close(answers)
        self._number = 0
        self._buffer = bytearray()
        self.events: list[dict[str, Any]] = []
        self.ask("Browser.getVersion", within_s=START_S)

    def page(self) -> "Page":
        """Open an empty page in a context of its own."""
        return Page(self)

    def ask(
        self, method: str, session: str = "", within_s: float = ANSWER_S, **words: Any
    ) -> dict[str, Any]:
        """Ask for something, and wait for the answer. Raises RefusedError."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": words}
        message |= {"sessionId": session} if session else {}
        os.write(self._out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            for answer in self.heard():
                if answer.get("id") == self._number:
                    if "error" in answer:
                        raise RefusedError(f"chromium: {method}: {answer['error']['message']}")
                    result: dict[str, Any] = answer["result"]
                    return result
        raise RefusedError(f"chromium did not answer {method} within {within_s:g} s")

    def heard(self) -> list[dict[str, Any]]:
        """Return what it has said; events wait in `events`, the newest last."""
        self._host.pause(0.0)
        if select.select([self._in], [], [], STEP_S)[0]:
            piece = os.read(self._in, PIECE)
            if not piece:
                raise RefusedError("chromium has ended")
            self._buffer += piece
        *whole, self._buffer = self._buffer.split(b"\0")
        messages = [json.loads(text) for text in whole]
        self.events += [message for message in messages if "id" not in message]
        return [message for message in messages if "id" in message]

    def end(self) -> None:
        """End it with all its processes."""
        with suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are none of the numbers that the browser has them by."""
    ends = os.pipe()
    above = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, TO_US + 1) for end in ends]
    for end in ends:
        os.close(end)
    return above[0], above[1]


class Page:
    """A page with a context of its own: nothing in its cache, no connection."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._context: str = browser.ask("Target.createBrowserContext")["browserContextId"]
        made = browser.ask("Target.createTarget", url="about:blank", browserContextId=self._context)
        target = made["targetId"]
        attached = browser.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session: str = attached["sessionId"]
        browser.ask("Page.enable", self._session)
        browser.ask("Page.setLifecycleEventsEnabled", self._session, enabled=True)

    def go(self, url: str, within_s: float) -> bool:
        """Load it, scripts and all; returns False where its time is over first."""
        until = time.monotonic() + within_s
        loader = self._begun(url, until)
        loaded = (loader, "load")  # by its number: the empty page's own load may come late
        while time.monotonic() < until:
            self._browser.heard()
            for event in self._browser.events:
                words = event["params"]
                if (words.get("loaderId"), words.get("name")) == loaded:
                    return True
        return False

    def _begun(self, url: str, until: float) -> str:
        """Go to an address; returns the number of the loading, "" where the time is over first.

        An address of the host that has just come up, as IPv6's own does, makes it give up.
        """
        made: dict[str, Any] = {"errorText": CHANGED}
        while made.get("errorText") == CHANGED:
            self._browser.events.clear()
            left_s = until - time.monotonic()
            try:
                made = self._browser.ask("Page.navigate", self._session, left_s, url=url)
            except RefusedError:
                if time.monotonic() >= until:
                    return ""
                raise
        if "errorText" in made:
            raise RefusedError(f"chromium did not load {url}: {made['errorText']}")
        return str(made["loaderId"])

    def run(self, script: str) -> Any:
        """Return the value that a script comes to; of a promise the one that it holds."""
        done = self._browser.ask(
            "Runtime.evaluate",
            self._session,
            expression=script,
            awaitPromise=True,
            returnByValue=True,
        )
        if "exceptionDetails" in done:
            raise RefusedError(f"a script failed: {done['exceptionDetails'].get('text')}")
        return done["result"].get("value")

    def close(self) -> None:
        """Close it with all that it holds."""
        self._browser.ask("Target.disposeBrowserContext", browserContextId=self._context)
