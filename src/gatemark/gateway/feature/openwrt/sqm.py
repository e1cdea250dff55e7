# SPDX-License-Identifier: Apache-2.0
"""A queue of OpenWrt's SQM: what `shape`'s words are in its own, and whether the kernel has it.

    cake       piece_of_cake.qos, with which SQM comes; layer_cake.qos where a word names tins
    fq_codel   simplest.qos: one class of htb, with FQ-CoDel in it

Words of CAKE's stand in SQM's advanced options, which it puts behind its own, so they win. All that
the plan does not name is as SQM sets it (nat, wash, limits).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gatemark.gateway.feature.shape import PTM, size
from gatemark.node.reader import reader
from gatemark.plan.feature import FORWARDING
from gatemark.plan.shaper.shape import ETHERNET_BYTES, TINS, Shape

ONE_TIN: Final = "besteffort"
PIECE: Final = "piece_of_cake.qos"  # one tin
LAYERS: Final = "layer_cake.qos"
SIMPLEST: Final = "simplest.qos"
KNOWN: Final = ("cake", "fq_codel")
RATE: Final = re.compile(r"\b(?:bandwidth|rate) (\d{1,12})([KMGT]?)bit\b")
UNITS: Final = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
REDIRECT: Final = re.compile(r"Redirect to device ([^\s)]{1,15})\)")


@dataclass(frozen=True, slots=True)
class Queue:
    """The request to SQM at one port."""

    script: str
    qdisc: str
    up_kbit: int  # of what leaves by the port; 0: it is not shaped
    down_kbit: int  # of what comes in by it
    words: tuple[str, ...] = ()  # of CAKE, as tc shows them too: "diffserv4", "overhead 38"
    # Of FQ-CoDel, whose packets are counted by tc's table: linklayer, overhead, tcMPU.
    sizes: tuple[tuple[str, str], ...] = ()

    def options(self, port: str) -> dict[str, str]:
        """The options of its section in `sqm`."""
        rates = {"upload": str(self.up_kbit), "download": str(self.down_kbit)}
        own = {"enabled": "1", "interface": port, "qdisc": self.qdisc, "script": self.script}
        further = dict(self.sizes)
        if self.words:
            further |= dict.fromkeys(("eqdisc_opts", "iqdisc_opts"), " ".join(self.words))
        if self.script == LAYERS:  # else what comes in is of one tin
            further["squash_ingress"] = "0"
        return own | rates | further


def lacks(shape: Shape, path: str) -> str:
    """Why SQM cannot be asked for it; "" where it can."""
    if path not in FORWARDING:
        return f"SQM is at a WAN port, and {path} has none"
    if shape.by not in KNOWN:
        return f"SQM has no {shape.by} alone"
    if shape.first:
        return "SQM shapes what comes in before a rule can mark it"
    return "SQM has no bucket of one frame" if shape.one_frame else ""


def queue(shape: Shape) -> Queue:
    """Return the request to SQM."""
    is_cake = shape.by == "cake"
    payload = PTM if shape.cells == "ptm" and not is_cake else 1
    up_kbit, down_kbit = (round(bps * payload / 1000) for bps in (shape.up_bps, shape.down_bps))
    if not is_cake:
        return Queue(SIMPLEST, shape.by, up_kbit, down_kbit, sizes=tuple(_sizes(shape)))
    is_layered = any(word in shape.words for word in TINS if word != ONE_TIN)
    words = (*shape.words, *_phrases(size(shape)))
    return Queue(LAYERS if is_layered else PIECE, shape.by, up_kbit, down_kbit, words)


def _phrases(text: str) -> list[str]:
    """Words of tc's, each with its number."""
    return re.findall(r"[a-z]+(?: \d+)?", text)


def _sizes(shape: Shape) -> Iterator[tuple[str, str]]:
    cells = "atm" if shape.cells == "atm" else ""
    if cells or shape.overhead_bytes is not None or shape.mpu_bytes:
        beyond = max(0, (shape.overhead_bytes or 0) - ETHERNET_BYTES)
        yield "linklayer", cells or "ethernet"
        yield "overhead", str(beyond)
        yield "tcMPU", str(shape.mpu_bytes)


@reader("what tc shows of a port that SQM shapes")
def fault(text: str, queue: Queue, kbit: int) -> str:
    """Return the fault of a port, by tc's disciplines and classes; "" for none."""
    lines = text.replace("\n ", " ").splitlines()  # a table of sizes stands on the next line
    is_cake = queue.qdisc == "cake"
    kind = f"qdisc {'cake' if is_cake else 'htb'} "
    root = next((f"{line} " for line in lines if line.startswith(kind) and " root " in line), "")
    if not root:
        return f"has no {kind.split()[1]} at its root"
    if not is_cake and not any(line.startswith("qdisc fq_codel ") for line in lines):
        return "has no fq_codel"
    shown = [root] if is_cake else [line for line in lines if line.startswith("class htb ")]
    if not shown or not all(_is_rate(line, 1000 * kbit) for line in shown):
        return f"is not held to {kbit} kbit/s"
    missing = [phrase for phrase in _wanted(queue) if f" {phrase} " not in root]
    return f"lacks {missing[0]}" if missing else ""


def _wanted(queue: Queue) -> Iterator[str]:
    """Words that are to be at the root, as tc shows them."""
    yield from queue.words
    if queue.script == PIECE:
        yield ONE_TIN
    names = {"linklayer": "linklayer", "overhead": "overhead", "tcMPU": "mpu"}
    yield from (f"{names[name]} {value}" for name, value in queue.sizes if value != "0")


def _is_rate(line: str, bps: int) -> bool:
    """Return whether tc shows this rate; it shows four digits or more."""
    match = RATE.search(line)
    return match is not None and int(match[1]) == bps // UNITS[match[2]]


@reader("the filters of a port")
def redirected(text: str) -> str:
    """The device that what comes in by a port is redirected to; "" for none."""
    match = REDIRECT.search(text)
    return match[1] if match else ""
