# SPDX-License-Identifier: Apache-2.0
"""`gatemark capture`: the packets of a gateway, into a file or a program that reads them live."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from gatemark.commands.console import output
from gatemark.error import UsageError

if TYPE_CHECKING:
    from gatemark.run.live.capture import Standing

STDOUT: Final = "-"
SNAPLEN: Final = range(18, 65_533)  # as the engine takes it (agent/PROTOCOL.md)
LONGEST_S: Final = 1e8
EACH: Final = 10  # ticks to a line, where no terminal shows them
PLACES: Final = {"ring": "the engine's ring", "kernel": "the kernel", "file": "the way here"}


def capture(
    station: Annotated[
        str, typer.Option(metavar="STATION", help="A station's name or file.  [the open lab]")
    ] = "",
    on: Annotated[
        list[str] | None,
        typer.Option(metavar="PORT", help="lan, wan or a device; repeatable.  [wan]"),
    ] = None,
    filter_: Annotated[
        str, typer.Option("--filter", metavar="TEXT", help="As of tcpdump: 'udp port 53'.")
    ] = "",
    snaplen: Annotated[
        int, typer.Option(metavar="BYTES", help="Keep so much of each packet.  [all]")
    ] = SNAPLEN[-1],
    seconds: Annotated[float, typer.Option(metavar="TIME", help="End after so long.")] = 0.0,
    packets: Annotated[int, typer.Option(metavar="NUMBER", help="End after so many.")] = 0,
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Write here; - is stdout, for a pipe.  [-]")
    ] = STDOUT,
    json_: Annotated[
        bool, typer.Option("--json", help="Progress on stderr as JSON, an object a second.")
    ] = False,
) -> None:
    """Capture the packets of a gateway live, as pcapng.

    On stderr is how it goes. Ctrl-C ends it, and so does the end of the program that reads it.
    """
    from functools import partial

    from gatemark.run import stop
    from gatemark.run.live import capture as live
    from gatemark.station.load import load

    _require_sane(snaplen, seconds, packets)
    bench = load(station) if station else None
    wanted = live.Wanted(on or ["wan"], filter_, snaplen, seconds, packets)
    with _opened(out) as fd:
        show = _json if json_ else _Lines().show
        work = live.capture(bench, wanted, fd, "stdout" if out == STDOUT else out, show)
        show(stop.run(work, partial(output.say, err=True)))


def _require_sane(snaplen: int, seconds: float, packets: int) -> None:
    """Raise UsageError for numbers that mean nothing."""
    if snaplen not in SNAPLEN:
        raise UsageError(f"--snaplen {snaplen}: from {SNAPLEN[0]} to {SNAPLEN[-1]} bytes")
    if not 0 <= seconds <= LONGEST_S:
        raise UsageError(f"--seconds {seconds:g}: from 0, which is no bound, to {LONGEST_S:g}")
    if packets < 0:
        raise UsageError(f"--packets {packets}: a number above 0, or 0, which is no bound")


@contextmanager
def _opened(out: str) -> Iterator[int]:
    """The descriptor to write to. Raises UsageError where nothing can be written."""
    if out == STDOUT:
        if not sys.stdout:
            raise UsageError("stdout is closed: name a file: --out FILE")
        if sys.stdout.isatty():
            raise UsageError(
                "a capture is no text for a terminal: --out FILE, or pipe it into a program: "
                "| tcpdump -nr -"
            )
        yield sys.stdout.fileno()
        return
    output.place(Path(out))
    # A pipe with a name is not waited for: who reads it is there already, or is named.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        fd = os.open(out, flags, 0o600)
    except OSError as error:
        raise UsageError(f"--out {out}: {error.strerror}") from None
    try:
        yield fd
    finally:
        os.close(fd)


class _Lines:
    """Progress as lines: on a terminal one that is written anew each second."""

    def __init__(self) -> None:
        self._terminal = bool(sys.stderr and sys.stderr.isatty())
        self._ticks = 0

    def show(self, standing: "Standing") -> None:
        """Show how it stands."""
        self._ticks += 1
        if self._terminal:
            output.anew(_text(standing), last=standing.over)
        elif standing.over or self._ticks % EACH == 1:
            output.say(_text(standing), err=True)


def _text(standing: "Standing") -> str:
    """`12 s: 3400 packets, 283 packets/s; dropped: none; engine: 0.4 % of a CPU, 4.5 MiB; ...`."""
    from gatemark.number import quantity, seconds

    drops = ", ".join(
        f"{count} in {PLACES[place]}" for place, count in standing.drops.items() if count
    )
    return (
        f"{seconds(standing.seconds)}: {standing.packets} packets, "
        f"{quantity(standing.rate_pps, 'packets/s')}; dropped: {drops or 'none'}; engine: "
        f"{quantity(standing.cpu, 'ratio')} of a CPU, {standing.memory_bytes / (1 << 20):.1f} MiB"
        f"{_path(standing)}"
    )


def _path(standing: "Standing") -> str:
    """Return the loss of forwarding; empty where the gateway's kernel does not time it."""
    from gatemark.number import quantity

    if standing.path_ns is None or standing.path_cpu is None:
        return ""
    return (
        f"; forwarding: {standing.path_ns:.0f} ns a packet, "
        f"{quantity(standing.path_cpu, 'ratio')} of a CPU"
    )


def _json(standing: "Standing") -> None:
    from dataclasses import asdict

    output.lines([asdict(standing)], err=True)
