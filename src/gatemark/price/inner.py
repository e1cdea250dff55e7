# SPDX-License-Identifier: Apache-2.0
"""The part of a walk that is the packet's way through the kernel's network code, and nothing else.

    card |interrupt|poll|  receive ─> netfilter ─> route ─> queue  |driver sends|interrupt|
                        |__________ counted here __________________|

It begins where a driver hands a packet on, and ends where a driver takes it. So the driver, its
interrupts, and what else runs between is not in the number: which of two interrupts are served
together, a tick of the clock. A rule's price is wholly inside. On a busy machine sixty packets of
sixty have the same number; of whole walks three or four have.
"""

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from gatemark.probe.idle import ENTRIES, STUB
from gatemark.station.symbols import UNKNOWN
from gatemark.store.record import Call

# Where drivers hand packets on (net/core/dev.c): with GRO a list of them, without it each.
RECEIVE: Final = frozenset(
    ("netif_receive_skb_list_internal", "netif_receive_skb", "netif_receive_skb_internal")
)
SEND: Final = "dev_hard_start_xmit"  # below it is the driver
# What the gateway's own stack answers to a packet for a port that nobody has.
ANSWERS: Final = frozenset(("tcp_v4_send_reset", "tcp_v6_send_reset"))
# Chance, and no matter of the packet: whether an allocator has a free piece at hand, which of two
# locks has the lower number.
CHANCE: Final = frozenset(
    (
        *("kmem_cache_free", "__slab_free", "__slab_alloc", "___slab_alloc"),
        *("page_frag_free", "free_unref_page", "__alloc_pages", "nf_conntrack_double_lock"),
    )
)

OUTSIDE: Final = frozenset((SEND,)) | ANSWERS | CHANCE


def received(
    path: Sequence[int], name: Callable[[int], str], enters: Callable[[int], bool]
) -> tuple[Sequence[int], bool]:
    """The slots from where a packet is handed on to where its driver goes on; none: none is.

    And whether nothing else ran meanwhile: an interrupt, or another packet behind it.
    """
    starts = [at for at, slot in enumerate(path) if name(slot) in RECEIVE and enters(slot)]
    if not starts:
        return (), False
    start = starts[0]
    driver = name(path[start - 1]) if start else ""
    ends = (
        at for at in range(start, len(path)) if name(path[at]) == driver and not enters(path[at])
    )
    way = path[start : next(ends, len(path))]
    return way, len(starts) == 1 and not any(_interrupts(each) for each in {*map(name, way)})


def inner(calls: Iterable[Call]) -> Tally[str]:
    """Instructions by function of what was entered by way of RECEIVE, without SEND's."""
    counts: Tally[str] = Tally()
    root = cut = -1  # depths; -1: not inside
    for call in calls:
        if 0 <= call.depth <= root:
            root = -1
        if cut >= 0 and call.depth <= cut:
            cut = -1
        if root < 0 and call.function in RECEIVE:
            root, cut = call.depth, -1
        if root < 0 or cut >= 0:
            continue
        if call.function in OUTSIDE or _interrupts(call.function):
            cut = call.depth
        else:
            counts[call.function] += call.instructions
    return counts


def _interrupts(name: str) -> bool:
    return name.startswith(STUB) or (name in ENTRIES and name != UNKNOWN)
