# SPDX-License-Identifier: Apache-2.0
"""The feature `shape:BY:MBIT:WORD...`: what leaves by a test port is held to a rate.

    tbf        a token bucket: 5 ms of the rate at once, a queue of 50 ms
    htb        one class of a hierarchical token bucket, with the kernel's own queue in it. 1 ms of
               the rate may leave at once, as OpenWrt's SQM lets it: a CPU that forwards comes late
               to its timers, and what a bucket of one frame misses meanwhile is lost
    htb2       two classes that share the rate 100 to 5, each with a queue of 50 packets. What a
               static rule puts first goes into the first one, and leaves before all that waits
    fq_codel   the class of htb, with FQ-CoDel as its queue (RFC 8290): that has no rate of its own
    cake       CAKE, which shapes by itself; with `first=marked` a packet's mark names its tin

htb2's rule stands at netfilter's forward hook, before a packet's source is masqueraded and after
an answer's destination is put back: so it sees a flow by the LAN host's own addresses and ports,
in both directions and families. It writes the class into the packet's priority, by which htb finds
it (htb_classify(), net/sched/sch_htb.c).

Sources: tc-tbf(8), tc-htb(8), tc-fq_codel(8), tc-cake(8), nft(8).
"""

from typing import Final, NamedTuple

from gatemark.error import UnavailableError
from gatemark.gateway import mark, table
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import Script, joined, literal, shell
from gatemark.node.reader import reader
from gatemark.plan.shaper.shape import (
    CLASSES,
    ETHERNET_BYTES,
    MARKED,
    Shape,
    dscp,
    parse,
    ports,
)
from gatemark.station.wiring import Gateway

HANDLE: Final = "676d:"  # "gm"
BUCKET_S: Final = 0.005
OF_CLASS_S: Final = 0.001  # of htb: as SQM sets it for each of its classes
KERNELS_BYTES: Final = 1_600  # of htb: what tc gives a class that asks for none
LEAST_BUCKET_BYTES: Final = 3_000  # two full frames
FRAME_BYTES: Final = 1514  # a full one, without check sequence
WEIGHTS: Final = (100, 5)  # of the two classes
TARGET_S: Final = 0.005  # FQ-CoDel's own (RFC 8290, section 5.2.2)
TARGET_FRAMES: Final = 1.5  # but so many full frames, where these take longer: 15 ms at 1 Mbit/s
PTM: Final = 64 / 65  # of the bits are payload's (IEEE 802.3, 61.3)

CAKE: Final = "tc qdisc add dev {port} root handle {handle} cake bandwidth {bps}bit {words} {size}"
TBF: Final = (
    "tc qdisc add dev {port} root handle {handle} tbf rate {bps}bit burst {bucket}b "
    "latency 50ms {size}"
)
ROOT: Final = "tc qdisc add dev {port} root handle {handle} htb default {default}"
CLASS: Final = (
    "tc class add dev {port} parent {parent} classid {own} htb rate {bps}bit ceil {ceil}bit "
    "prio {prio} quantum 1514 {bucket} {size}"
)
PFIFO: Final = "tc qdisc add dev {port} parent {own} pfifo limit {packets}"
FQ_CODEL: Final = "tc qdisc add dev {port} parent {own} fq_codel {target}"
# A full frame of this port, whatever its MTU; with a tag, which tbf counts.
MTU: Final = "$(($(cat /sys/class/net/{port}/mtu) + 18))"
UNDO: Final = (
    "case $(tc qdisc show dev {port} root) in "
    f"*' {HANDLE} '*) tc qdisc del dev {{port}} root;; esac"
)
REFUSED: Final = "the gateway's kernel refuses this queue: "
KERNELS_OWN: Final = "0:"  # the handle of a qdisc that nobody made
TABLE: Final = "gatemark_shape"


class Class(NamedTuple):
    """A class of htb."""

    number: str
    bps: int
    ceil_bps: int
    parent: str = ""
    prio: int = 0  # 0: before the others, where it borrows


async def apply(asked: Asked) -> None:
    """Put it at the root of each port; refused where somebody made a qdisc there himself."""
    shape = parse(asked.arguments)
    for port, bps in _rates(asked, shape):
        await require_free(asked.gateway, port)
        undo = shell(UNDO, port=port)
        await asked.changes.attempt(change(shape, port, bps), undo, refused=REFUSED)
    if shape.by == CLASSES:
        chains = table.filter_chains(asked.path, rules(shape.first))
        await table.add(asked.changes, TABLE, chains)


async def require_free(gateway: Gateway, port: str) -> None:
    """Raise UnavailableError where somebody made a qdisc at a port's root himself."""
    if kind := owners(await gateway.run("tc", "qdisc", "show", "dev", port, "root")):
        raise UnavailableError(
            f"{port} has a {kind} of its owner at its root: tc qdisc del dev {port} root"
        )


def _rates(asked: Asked, shape: Shape) -> list[tuple[str, int]]:
    """Each port that is shaped, and its rate: down for the LAN port, up for any other."""
    lan = asked.gateway.devices.get("gw0")
    rates = [(port, shape.down_bps if port == lan else shape.up_bps) for port in asked.ports]
    return [(port, bps) for port, bps in rates if bps]


def change(shape: Shape, port: str, bps: int) -> Script:
    """The commands that hold a port to a rate."""
    if shape.by == "cake":
        words, sizes = [*shape.words], size(shape)
        if shape.first == MARKED:
            words += ["fwmark", f"{mark.MASK:#x}"]
        return shell(CAKE, port=port, handle=HANDLE, bps=bps, words=words, size=sizes)
    bps = round(bps * PTM) if shape.cells == "ptm" else bps
    if shape.by == "tbf":
        bucket = max(LEAST_BUCKET_BYTES, round(bps / 8 * BUCKET_S))
        bytes_ = shell(MTU, port=port) if shape.one_frame else bucket
        return shell(TBF, port=port, handle=HANDLE, bps=bps, bucket=bytes_, size=size(shape))
    classes = _weighted(shape, port, bps) if shape.by == CLASSES else _single(shape, port, bps)
    default = 2 if shape.by == CLASSES else 1
    return joined((shell(ROOT, port=port, handle=HANDLE, default=default), *classes))


def _single(shape: Shape, port: str, bps: int) -> list[Script]:
    """The one class of htb, and its queue where it is not the kernel's own."""
    made = [_class(shape, port, Class("1", bps, bps))]
    if shape.by == "fq_codel":
        target_us = round(1e6 * 8 * FRAME_BYTES * TARGET_FRAMES / bps)
        slow = target_us > 1e6 * TARGET_S
        target = shell("target {us}us", us=target_us) if slow else literal("")
        made.append(shell(FQ_CODEL, port=port, own=f"{HANDLE}1", target=target))
    elif shape.queue_packets:
        made.append(_pfifo(shape, port, "1"))
    return made


def _weighted(shape: Shape, port: str, bps: int) -> list[Script]:
    """A parent of the rate; below it each has its share, and may borrow all that is left."""
    made = [_class(shape, port, Class("10", bps, bps))]
    for prio, weight in enumerate(WEIGHTS):
        number, share = str(prio + 1), round(bps * weight / sum(WEIGHTS))
        made.append(_class(shape, port, Class(number, share, bps, parent="10", prio=prio)))
        made.append(_pfifo(shape, port, number))
    return made


def _class(shape: Shape, port: str, own: Class) -> Script:
    bucket, wide = literal(""), round(own.ceil_bps / 8 * OF_CLASS_S)
    if shape.one_frame:
        bucket = shell("burst {bytes}b cburst {bytes}b", bytes=shell(MTU, port=port))
    elif wide > KERNELS_BYTES:
        bucket = shell("burst {bytes}b cburst {bytes}b", bytes=wide)
    return shell(
        CLASS,
        port=port,
        parent=HANDLE + own.parent,
        own=HANDLE + own.number,
        bps=own.bps,
        ceil=own.ceil_bps,
        prio=own.prio,
        bucket=bucket,
        size=size(shape),
    )


def _pfifo(shape: Shape, port: str, own: str) -> Script:
    return shell(PFIFO, port=port, own=f"{HANDLE}{own}", packets=shape.queue_packets)


def size(shape: Shape) -> Script:
    """Return tc's words for a packet's size: htb and tbf count Ethernet's header."""
    is_cake, words = shape.by == "cake", []
    if shape.overhead_bytes is not None:
        beyond = 0 if is_cake else ETHERNET_BYTES
        words.append(shell("overhead {bytes}", bytes=shape.overhead_bytes - beyond))
    if shape.mpu_bytes:
        words.append(shell("mpu {bytes}", bytes=shape.mpu_bytes))
    if shape.cells and is_cake:
        words.append(shell("{cells}", cells=shape.cells))
    elif shape.cells == "atm":
        words.append(literal("linklayer atm"))
    return joined(words, " ")


def rules(first: str) -> str:
    """The rules of nft that put a flow into the first class, whichever way it goes."""
    put = f"meta priority set {HANDLE}1\n"
    if span := ports(first):
        of = f"{span[0]}-{span[1]}" if span[1] > span[0] else str(span[0])
        l4 = "    meta l4proto { tcp, udp } th"
        return "".join(f"{l4} {port} {of} {put}" for port in ("sport", "dport"))
    if first == MARKED:
        return f"    {mark.IS_SET} {put}"
    if (point := dscp(first)) is not None:
        return "".join(f"    {ip} dscp {point} {put}" for ip in ("ip", "ip6"))
    return f"    meta l4proto udp {put}"


@reader("what tc shows of a port")
def owners(text: str) -> str:
    """The qdisc that somebody made at a port's root; "" for none, or the kernel's own."""
    words = text.split()
    return words[1] if words and words[2] != KERNELS_OWN else ""
