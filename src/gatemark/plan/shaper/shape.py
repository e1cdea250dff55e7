# SPDX-License-Identifier: Apache-2.0
"""The feature `shape:BY:MBIT:WORD...`: what its words mean, and which of them go together.

Overhead is counted as SQM and CAKE count it: bytes that the line adds to an IP packet, then the
least size, then its cells (tc-cake(8), "OVERHEAD COMPENSATION PARAMETERS").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from gatemark.error import UsageError

BY: Final = ("tbf", "htb", "htb2", "fq_codel", "cake")
CLASSES: Final = "htb2"  # two weighted classes
WAYS: Final = {"wan": "up", "lan": "down"}  # what leaves by the one port alone
SIDES: Final = tuple(WAYS)
CELLS: Final = ("atm", "ptm")
# What a kind of line adds to an IP packet, its least size, its cells (tc-cake(8)).
LINKS: Final = {
    "ethernet": (38, 84, ""),
    "docsis": (18, 64, ""),
    "pppoe-ptm": (30, 0, "ptm"),
    "bridged-ptm": (22, 0, "ptm"),
    "pppoa-vcmux": (10, 0, "atm"),
    "pppoa-llc": (14, 0, "atm"),
    "pppoe-vcmux": (32, 0, "atm"),
    "pppoe-llcsnap": (40, 0, "atm"),
    "bridged-vcmux": (24, 0, "atm"),
    "bridged-llcsnap": (32, 0, "atm"),
    "ipoa-vcmux": (8, 0, "atm"),
    "ipoa-llcsnap": (16, 0, "atm"),
    "conservative": (48, 0, "atm"),
}
# CAKE's own; those that exclude each other are in one row of TINS.
TINS: Final = ("besteffort", "diffserv3", "diffserv4", "diffserv8")
OF_CAKE: Final = (*TINS, "nat", "ack-filter")
FIRST: Final = r"udp|marked|dscp\d{1,2}|\d{1,5}(-\d{1,5})?"
FIRST_WORDS: Final = "udp, marked, a port, ports FROM-TO, dscp0 to dscp63"
UDP: Final = "udp"
MARKED: Final = "marked"  # by `classify` or `act`
QUEUE_PACKETS: Final = 50  # of each class of htb2
ETHERNET_BYTES: Final = 14  # of its header, which the kernel's htb and tbf count anyhow
NAME_CHARACTERS: Final = 15  # of a device (IFNAMSIZ, with the NUL)
LAST_PORT: Final = 65_535
LAST_DSCP: Final = 63
PORTS: Final = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class Shape:
    """A shaper as a plan asks for it."""

    by: str
    up_bps: int  # what leaves by the WAN port is held to it; 0: it is not, or by the line's share
    down_bps: int  # the same of the LAN port
    line_share: float = 0.0  # its rates are this share of the plan's line; 0: they are its own
    overhead_bytes: int | None = None  # beyond an IP packet; None: a frame without check sequence
    mpu_bytes: int = 0  # a packet counts for so much at least
    cells: str = ""  # atm, ptm
    one_frame: bool = False  # a bucket of one frame: no two leave back to back
    queue_packets: int = 0  # 0: the discipline's own
    first: str = ""  # htb2: what goes into its first class; cake: marked, or nothing
    words: tuple[str, ...] = ()  # CAKE's own

    @property
    def sides(self) -> tuple[str, ...]:
        """The ports that it is at."""
        rates = {"wan": self.up_bps, "lan": self.down_bps}
        return tuple(side for side, bps in rates.items() if bps)


def parse(arguments: Sequence[str]) -> Shape:
    """Return the meaning of `shape`'s arguments and options, as `feature.parts` returns them."""
    by, mbit, *further = arguments
    given = {key: value for key, _, value in (word.partition("=") for word in further)}
    is_share = mbit.endswith("%")
    up, _, down = (mbit[:-1] if is_share else mbit).partition("/")
    side = next((word for word in SIDES if word in given), "")
    link = next((LINKS[word] for word in LINKS if word in given), (None, 0, ""))
    return Shape(
        by=by,
        up_bps=0 if side == "lan" else _bps(up),
        down_bps=0 if side == "wan" else _bps(down or up),
        line_share=float(up) / 100 if is_share else 0.0,
        overhead_bytes=int(given["overhead"]) if "overhead" in given else link[0],
        mpu_bytes=int(given.get("mpu", link[1])),
        cells=next((word for word in CELLS if word in given), link[2]),
        one_frame="frame" in given,
        queue_packets=int(given.get("queue", QUEUE_PACKETS if by == CLASSES else 0)),
        first=given.get("first", UDP if by == CLASSES else ""),
        words=tuple(word for word in OF_CAKE if word in given),
    )


def on_line(arguments: Sequence[str], up_bps: float, down_bps: float) -> str:
    """The word with its share of a line worked out: `shape:cake:95%` becomes `shape:cake:0.95`.

    Raises UsageError where the line has no rate of that way.
    """
    by, _, *options = arguments
    share = parse(arguments).line_share
    rates = {"wan": up_bps, "lan": down_bps}
    shaped = [side for side in rates if side in options] or [*rates]
    for side in shaped:
        if not rates[side]:
            way = WAYS[side]
            raise UsageError(
                f"`features`: shape:{by}: {100 * share:g}% of a line without a rate {way}"
            )
    mbits = dict.fromkeys(
        f"{share * rates[side] / 1e6:.3f}".rstrip("0").rstrip(".") for side in shaped
    )
    return ":".join(("shape", by, "/".join(mbits), *options))


def at_rate(feature: str, mbit: float) -> str:
    """The word with another rate in it: of `shape:cake:1000:wan` it is `shape:cake:47.5:wan`."""
    name, by, _, *options = feature.split(":")
    return ":".join((name, by, f"{mbit:.3f}".rstrip("0").rstrip("."), *options))


def ports(first: str) -> tuple[int, int] | None:
    """The first and the last port that `first` names, if it names some."""
    match = PORTS.fullmatch(first)
    return (int(match[1]), int(match[2] or match[1])) if match else None


def dscp(first: str) -> int | None:
    """The code point that `first` names, if it names one."""
    return int(first[4:]) if first.startswith("dscp") else None


def faults(arguments: Sequence[str], path: str, others: Sequence[str]) -> Iterator[str]:
    """Why these words do not go together, with a path or with the names of other features."""
    shape, given = parse(arguments), [word.partition("=")[0] for word in arguments[2:]]
    yield from _of_side(given, path, arguments[1])
    yield from _of_words(shape, given)
    if shape.by == CLASSES:
        yield from _of_first(shape.first, path, others)
    elif shape.by == "cake" and shape.first == MARKED:
        return
    elif "first" in given:
        yield f"`first` puts a flow into the first class of {CLASSES}, which {shape.by} has not"


def _of_side(given: Sequence[str], path: str, mbit: str) -> Iterator[str]:
    side = [word for word in SIDES if word in given]
    if len(side) == len(SIDES):
        yield "wan and lan are both ports; leave both out"
    if side and "/" in mbit:
        yield f"`{side[0]}` is one port, and UP/DOWN are the rates of two; write one rate"
    of_wan = {f"`{side[0]}`": True} if side else {"UP/DOWN": "/" in mbit, mbit: "%" in mbit}
    for word in (word for word, is_there in of_wan.items() if is_there):
        if path not in ("route", "nat"):
            yield f"{word} is for the paths route and nat: {path} has no WAN port"


def _of_words(shape: Shape, given: Sequence[str]) -> Iterator[str]:
    alone = [[word for word in row if word in given] for row in ((*LINKS,), CELLS, TINS)]
    for row in alone:
        for word, other in pairwise(row):
            yield f"{word} and {other} contradict each other; leave one out"
    if shape.words and shape.by != "cake":
        yield f"{shape.words[0]} is cake's own word, which {shape.by} does not know"
    if shape.queue_packets and shape.by not in ("htb", CLASSES):
        yield f"`queue` is of htb and {CLASSES}; {shape.by} has a queue of its own"
    if shape.one_frame and shape.by == "cake":
        yield "`frame` is for a bucket, and cake has none; leave it out"
    overhead = shape.overhead_bytes
    if shape.by != "cake" and overhead is not None and overhead < ETHERNET_BYTES:
        yield (
            f"an overhead of {overhead} is cake's alone: {shape.by} counts the {ETHERNET_BYTES} "
            "bytes of Ethernet's header always"
        )


def _of_first(first: str, path: str, others: Sequence[str]) -> Iterator[str]:
    span = ports(first)
    if span and not 1 <= span[0] <= span[1] <= LAST_PORT:
        yield f"`first` = {first}: ports are 1 to {LAST_PORT}, the lower one first"
    if (point := dscp(first)) is not None and point > LAST_DSCP:
        yield f"`first` = {first}: code points are 0 to {LAST_DSCP}"
    if path == "endpoint" or (path == "switch" and "bridge-netfilter" not in others):
        yield (
            f"{CLASSES} sorts what is forwarded by a rule of nft: it works on route and nat, "
            "and beside bridge-netfilter on switch"
        )
    for other in ("netfilter-absent", "offload"):
        if other in others:
            yield f"{CLASSES} needs a rule of nft, which {other} leaves out; leave one out"


def inwards(port: str) -> str:
    """The device at which SQM holds what comes in by a port, by the name that it gives it."""
    return f"ifb4{port}"[:NAME_CHARACTERS]


def _bps(mbit: str) -> int:
    return round(float(mbit) * 1e6)
