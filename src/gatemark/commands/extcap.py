# SPDX-License-Identifier: Apache-2.0
"""`gatemark-extcap`: a live capture as Wireshark begins it, extcap(4).

Wireshark asks four things, each by a process of its own:

    --extcap-interfaces                         which interfaces there are
    --extcap-interface I --extcap-dlts          how packets begin there
    --extcap-interface I --extcap-config        what can be set
    --extcap-interface I --capture --fifo F     the packets, as pcapng, into a named pipe

The open lab is an interface, and each station file in `stations/` of the settings' folder.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gatemark.error import GatemarkError, UsageError
from gatemark.printable import one_line

if TYPE_CHECKING:
    from gatemark.station.station import Station

NAME: Final = "gatemark"  # of the open lab's interface, and the beginning of each other one
ETHERNET: Final = 1  # pcap-linktype(7); each interface of the capture says its own
PORTS: Final = "lan, wan or devices of the gateway, with commas"


def main() -> None:
    """Answer Wireshark; a failure is one line on stderr, which Wireshark shows, and its code."""
    os.environ["PATH"] = f"{os.environ.get('PATH') or os.defpath}:/usr/sbin:/sbin"
    try:
        _answer(_parsed(sys.argv[1:]))
    except GatemarkError as error:
        _end(str(error), error.exit_code)
    except OSError as error:
        _end(f"{error.filename}: {error.strerror}", 1)


def _end(text: str, code: int) -> None:
    sys.stderr.write(f"gatemark: {one_line(text)}\n")
    sys.exit(code)


def _parsed(words: Sequence[str]) -> Namespace:
    parser = ArgumentParser(prog="gatemark-extcap", description=__doc__)
    for flag in ("--extcap-interfaces", "--extcap-dlts", "--extcap-config", "--capture"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--extcap-interface", default="", metavar="NAME")
    parser.add_argument("--extcap-capture-filter", default="", metavar="TEXT")
    parser.add_argument("--fifo", default="", metavar="FILE")
    parser.add_argument("--on", default="wan", metavar="PORT", help=PORTS)
    return parser.parse_known_args(words)[0]  # another Wireshark may ask with more words


def _answer(request: Namespace) -> None:
    if request.extcap_interfaces:
        _print(_interfaces())
    elif request.extcap_dlts:
        _print([f"dlt {{number={ETHERNET}}}{{name=EN10MB}}{{display=Ethernet}}"])
    elif request.extcap_config:
        what = f"{{display=Ports}}{{type=string}}{{default=wan}}{{tooltip={PORTS}}}"
        _print([f"arg {{number=0}}{{call=--on}}{what}"])
    elif request.capture:
        _capture(request)
    elif request.extcap_capture_filter:
        _print(_faults(request.extcap_capture_filter))
    else:
        raise UsageError("this is for Wireshark, which asks --extcap-interfaces first")


def _print(lines: Sequence[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _interfaces() -> list[str]:
    """Return the sentences that name the interfaces, the program's own first."""
    import gatemark

    named = {NAME: "the open lab", **{name: path.stem for name, path in _files()}}
    return [
        f"extcap {{version={gatemark.__version__}}}{{display=Gatemark}}",
        *(f"interface {{value={name}}}{{display=Gatemark: {of}}}" for name, of in named.items()),
    ]


def _files() -> Iterator[tuple[str, Path]]:
    """Each station file of the user, behind the name of its interface."""
    from gatemark.store import xdg

    for path in sorted((xdg.config() / "stations").glob("*.toml")):
        yield f"{NAME}-{path.stem}", path


def _station(interface: str) -> "Station | None":
    """Return an interface's station; None: the open lab. Raises UsageError."""
    from gatemark.station.load import load

    if interface == NAME:
        return None
    files = dict(_files())
    if interface not in files:
        raise UsageError(f"no interface {interface!r}; there are: {', '.join((NAME, *files))}")
    return load(str(files[interface]))


def _faults(filter_: str) -> list[str]:
    """Return what is wrong with a capture filter, for Wireshark to show; nothing: it is sound."""
    import asyncio

    from gatemark.run.live import expression

    try:
        asyncio.run(expression.classic(filter_, "EN10MB"))
    except GatemarkError as error:
        return [str(error)]
    return []


def _capture(request: Namespace) -> None:
    """Capture until the pipe's reader is gone, or until a signal. Raises GatemarkError."""
    from gatemark.commands.capture import SNAPLEN
    from gatemark.run import stop
    from gatemark.run.live import capture as live

    on = [word.strip() for word in request.on.split(",")]
    wanted = live.Wanted(on, request.extcap_capture_filter, SNAPLEN[-1], 0.0, 0)
    station = _station(request.extcap_interface)
    if not request.fifo:
        raise UsageError("--fifo names no pipe to write to")
    fd = os.open(request.fifo, os.O_WRONLY | os.O_CLOEXEC)  # waits for Wireshark to read
    try:
        # Wireshark ends a capture by SIGTERM, and takes each word on stderr for a failure.
        with suppress(stop.StoppedError):
            stop.run(live.capture(station, wanted, fd, request.fifo, _mute), _mute)
    finally:
        os.close(fd)


def _mute(_: object) -> None:
    """Show nothing."""
