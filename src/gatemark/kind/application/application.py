# SPDX-License-Identifier: Apache-2.0
"""An application as a file of `program/` describes it, and what it may ask of the host it is on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Report = dict[str, Any]


class Running(Protocol):
    """A program that was started."""

    @property
    def is_over(self) -> bool:
        """Return whether it has ended."""

    def text(self) -> str:
        """Return all that it has printed, its errors too."""

    def says(self, text: str, within_s: float) -> None:
        """Wait until it has printed a text. Raises RefusedError."""

    def chunks(self) -> Sequence[tuple[int, bytes]]:
        """Return the pieces that it has printed, each with the time in ns when it was read."""

    def write(self, data: bytes) -> None:
        """Give it something to read; of one that was started with `talks`."""

    def end(self, within_s: float = 2.0) -> None:
        """End it as Ctrl-C would, and kill it if that does not help in time."""


class Tap(Protocol):
    """The numbered packets of an application that a host's port has seen."""

    def packets(self) -> dict[str, list[tuple[int, int, int]]]:
        """Return `sent` and `came`: flow, number and time in ns of each packet."""


class Page(Protocol):
    """A page of a browser, with nothing in its cache and no connection."""

    def go(self, url: str, within_s: float) -> bool:
        """Load it, scripts and all; returns False where its time is over first."""

    def run(self, script: str) -> Any:
        """Return the value that a script comes to; of a promise the one that it holds."""

    def close(self) -> None:
        """Close it with all that it holds."""


class Browser(Protocol):
    """A browser without a screen."""

    def page(self) -> Page:
        """Open an empty page in a context of its own."""


class Stage(Protocol):
    """The host that one end of an application is on: all that it may use there."""

    near: str  # address of the LAN host
    far: str  # address of the WAN host
    user: str  # name of the user that programs run as
    handed: Report  # on the LAN host: what the far end gave when it was under way
    seconds: float  # how long it is judged
    folder: Path  # its own, gone with it

    @property
    def tap(self) -> Tap:
        """The packets at its port that have a number."""

    def file(self, name: str, text: str | bytes, mode: int = 0o600) -> Path:
        """Write a file into the folder."""

    def run(self, *words: str) -> str:
        """Run a program to its end; returns what it printed. Raises RefusedError."""

    def start(self, *words: str, talks: bool = False) -> Running:
        """Start a program that goes on; `talks`: it is written to."""

    def listening(self, port: int, protocol: str = "tcp", within_s: float = 10.0) -> None:
        """Wait until a port of this host is open. Raises RefusedError."""

    def pause(self, seconds: float) -> None:
        """Let time go by, unless the laboratory ends it all."""

    def until_over(self) -> None:
        """On the WAN host: wait until the LAN host has seen enough."""

    def browser(self, *options: str) -> Browser:
        """Start a browser."""


# One end. It yields when it is under way, with what the other end is handed, and goes on when the
# judged time begins; then it may yield once more, with what it saw.
Part = Callable[[Stage], Iterator[Report]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """A figure that an application is judged by, and its limits."""

    quantity: str  # of UNITS
    good: float  # as good as this, or better
    bad: float  # worse than this
    source: str  # of the limits
    is_more: bool = False  # more is better
    of_clean: bool = False  # the limits are of its share of the clean way's value
    short: str = ""  # stands behind the value in a cell; "": the application's first figure
    delay: str = ""  # quantity that says in a cell how late it is, where it is not good


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """An application: both ends, what each needs, and what it is judged by."""

    name: str  # as a plan has it: call-sip
    title: str  # as people have it: call (SIP)
    about: str  # of its definition: what its first figure is about
    label: str  # its class, for training a classifier
    needs: Mapping[str, str]  # program -> package of Debian
    qualities: tuple[Quality, ...]  # the first is the headline
    serve: Part  # on the WAN host
    use: Part  # on the LAN host
    # Of a UDP payload: flow and number of a packet that is followed; None: it is not.
    packet: Callable[[bytes], tuple[int, int] | None] | None = None
    setup: tuple[int, ...] = ()  # far ports of flows that set it up, and carry nothing of it
    least_s: float = 4.0  # a shorter time tells nothing
    # Longest wait of a thread for its CPU, as share of the time. Threads of a program wait for each
    # other too: of one that fills its CPU a timer beside it tells alone (1.0).
    waits: float = 0.05
