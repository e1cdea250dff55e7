# SPDX-License-Identifier: Apache-2.0
"""The host that one end of an application is on: programs, files, waiting."""

import os
import re
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from gatemark.kind.application import programs
from gatemark.kind.application.browser import Browser
from gatemark.kind.application.tap import Tap
from gatemark.workload.talk import RefusedError, Talk

MOST_BYTES: Final = 16 << 20  # of what a program prints: what is more is let go
MOST_SAID: Final = 200  # characters of a program's last words
PIECE: Final = 65536
STEP_S: Final = 0.02
OPEN: Final = {"tcp": "0A", "udp": "07"}  # states of /proc/net/tcp and /proc/net/udp


class EndedError(Exception):
    """The laboratory wants no more."""


class Running:
    """A program that was started: what it prints is read as it comes."""

    def __init__(self, words: tuple[str, ...], stage: "Stage", *, talks: bool) -> None:
        self.name = words[0]
        self._stage = stage
        self._chunks: list[tuple[int, bytes]] = []
        self._size = 0
        self._process = subprocess.Popen(
            stage.command(words),
            stdin=subprocess.PIPE if talks else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def chunks(self) -> list[tuple[int, bytes]]:
        """Return the pieces that it has printed, each with the time in ns when it was read."""
        return list(self._chunks)

    def text(self) -> str:
        """Return all that it has printed, its errors too."""
        return b"".join(piece for _, piece in self.chunks()).decode(errors="replace")

    def says(self, text: str, within_s: float) -> None:
        """Wait until it has printed a text. Raises RefusedError."""
        self._stage.until(lambda: text in self.text() or self.is_over, within_s)
        if text not in self.text():
            raise RefusedError(f"{self.name} never said '{text}'; {self.last_words}")

    def write(self, data: bytes) -> None:
        """Give it something to read. Raises RefusedError if it has ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
        except OSError:
            raise RefusedError(f"{self.name} has ended; {self.last_words}") from None

    def end(self, within_s: float = 2.0) -> None:
        """End it as Ctrl-C would, and kill it if that does not help in time."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGINT)
        self._stage.until(lambda: self.is_over, within_s)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join(1.0)

    @property
    def is_over(self) -> bool:
        """Return whether it has ended."""
        return self._process.poll() is not None

    @property
    def code(self) -> int:
        """Return its exit code; 0 while it runs."""
        return self._process.poll() or 0

    @property
    def last_words(self) -> str:
        """The last line, in quotes."""
        lines = self.text().strip().splitlines() or ["nothing"]
        return f"it said '{lines[-1][:MOST_SAID]}' last"

    def _read(self) -> None:
        assert self._process.stdout is not None
        while piece := self._process.stdout.read(PIECE):
            self._size += len(piece)
            if self._size <= MOST_BYTES:
                self._chunks.append((time.monotonic_ns(), piece))


class Stage:
    """All that a file of `program/` may use of its host (application.py has the words)."""

    def __init__(self, pipe: Talk, request: dict[str, Any], folder: Path, tap: Tap) -> None:
        self.near: str = request["near"]
        self.far: str = request["far"]
        self.seconds: float = request["seconds"]
        self.handed: dict[str, Any] = request.get("handed", {})
        self.user: str = request["user"]
        self.folder = folder
        self.tap = tap
        self.started: list[Running] = []
        self._browsers: list[Browser] = []
        self._pipe = pipe
        self._may_close = False

    def file(self, name: str, text: str | bytes, mode: int = 0o600) -> Path:
        """Write a file into the folder."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        path.chmod(mode)
        return path

    def run(self, *words: str) -> str:
        """Run a program to its end; returns what it printed. Raises RefusedError."""
        program = self.start(*words)
        is_over = self.until(lambda: program.is_over, 60.0)
        code = program.code
        program.end(0.0)
        if code or not is_over:
            raise RefusedError(f"{words[0]} failed; {program.last_words}")
        return program.text()

    def start(self, *words: str, talks: bool = False) -> Running:
        """Start a program that goes on. Raises RefusedError."""
        program = Running(words, self, talks=talks)
        self.started.append(program)
        return program

    def command(self, words: tuple[str, ...]) -> list[str]:
        """Return the command line with the program's path. Raises RefusedError."""
        path = programs.path(words[0])
        if path is None:
            raise RefusedError(f"no {words[0]} on this machine")
        return [path, *words[1:]]

    def listening(self, port: int, protocol: str = "tcp", within_s: float = 10.0) -> None:
        """Wait until a port of this host is open. Raises RefusedError."""
        line = re.compile(rf":{port:04X} [0-9A-F]+:[0-9A-F]+ {OPEN[protocol]} ")
        tables = [Path(f"/proc/net/{protocol}{version}") for version in ("", "6")]

        def is_open() -> bool:
            return any(line.search(table.read_text()) for table in tables if table.exists())

        self.until(lambda: is_open() or self.started[-1].is_over, within_s)
        if not is_open():
            last = self.started[-1]
            raise RefusedError(f"{last.name} does not listen on port {port}; {last.last_words}")

    def until(self, is_so: Callable[[], bool], within_s: float) -> bool:
        """Wait until something is so, so long at most; returns whether it is."""
        end = time.monotonic() + within_s
        while not is_so():
            if time.monotonic() >= end:
                return False
            self.pause(STEP_S)
        return True

    def pause(self, seconds: float) -> None:
        """Let time go by. Raises EndedError where the laboratory wants no more."""
        end = time.monotonic() + seconds
        while True:
            left_s = max(0.0, end - time.monotonic())
            if self._pipe.closed:
                time.sleep(left_s)
            elif select.select([self._pipe], [], [], left_s)[0]:
                self._pipe.readable()
            if self._pipe.closed and not self._may_close:
                raise EndedError
            if time.monotonic() >= end:
                return

    def until_over(self) -> None:
        """Wait until the LAN host has seen enough: the laboratory closes the pipe then."""
        self._may_close = True
        while not self._pipe.closed:
            self.pause(0.5)

    def until_started(self) -> None:
        """Wait for the laboratory's word."""
        while not self._pipe.started:
            self.pause(0.05)

    def browser(self, *options: str) -> Browser:
        """Start a browser."""
        made = Browser(self, options)
        self._browsers.append(made)
        return made

    def end(self) -> None:
        """End all that was started, the last first."""
        self._may_close = True
        for browser in self._browsers:
            browser.end()
        for program in reversed(self.started):
            program.end(0.3)
