# SPDX-License-Identifier: Apache-2.0
"""The cost of held connections: the gateway's table, the memory of this machine.

Read before the first and after the last connection, when nothing is sent, so in every pass.
"""

from pathlib import Path

from gatemark.error import NodeError
from gatemark.node.quoted import literal, sh
from gatemark.node.reader import reader
from gatemark.node.shell import Node
from gatemark.probe.column import PAGE_BYTES

COUNTS = "/proc/net/stat/nf_conntrack"
LIMITS = ("/proc/sys/net/netfilter/nf_conntrack_count", "/proc/sys/net/netfilter/nf_conntrack_max")
READ = literal(f"cat {COUNTS} 2>/dev/null; echo; cat {' '.join(LIMITS)} 2>/dev/null || true")
RISING = ("drop", "early_drop", "insert_failed")
SPARE = literal("""cat /proc/sys/vm/min_free_kbytes
grep -E '^(Active|Inactive)[(]file[)]' /proc/meminfo
grep -E '^ +high:' /proc/zoneinfo || true""")

# What a socket is made of: itself, its inode, dentry and file, its place in epoll, what security
# modules keep, the port that it is bound to (/proc/slabinfo).
CACHES = frozenset(
    {
        *("TCP", "TCPv6", "request_sock_TCP", "request_sock_TCPv6"),
        *("sock_inode_cache", "dentry", "filp", "lsm_inode_cache", "lsm_file_cache"),
        *("eventpoll_epi", "eventpoll_pwq", "ep_head", "tcp_bind_bucket", "tcp_bind2_bucket"),
    }
)
SLABINFO = Path("/proc/slabinfo")  # for root alone
MEMINFO = Path("/proc/meminfo")


async def table(gateway: Node) -> dict[str, int]:
    """conntrack's counters and bounds as they are; empty where it does not track."""
    try:
        text = await gateway.run(*sh(READ))
    except NodeError:
        return {}
    return _counted(text)


@reader("the counters of its table of connections")
def _counted(text: str) -> dict[str, int]:
    rows, _, bounds = text.partition("\n\n")
    head, *cpus = [line.split() for line in rows.strip().splitlines()] or [[]]
    numbers = [int(word) for word in bounds.split()]
    if len(numbers) != len(LIMITS):
        return {}
    counted = [dict(zip(head, (int(cell, 16) for cell in cells), strict=False)) for cells in cpus]
    sums = {name: sum(cpu.get(name, 0) for cpu in counted) for name in RISING}
    return {"entries": numbers[0], "max": numbers[1], **sums}


async def spare_bytes(gateway: Node) -> int:
    """Return the bytes that a kernel can take back from cached files, less its reserve.

    Free memory is added to it; 0 where a kernel does not report it. MemAvailable is no such sum: it
    takes half of the reclaimable slabs for granted, of which a box without a disk gives nothing.

    What the CPUs' lists of free pages hold in the end is a reserve as well: a kernel that finds
    nothing to take back kills before it empties them (__alloc_pages_direct_reclaim() in
    mm/page_alloc.c). It is anything from nothing to their height; half is taken.
    """
    try:
        return _spare(await gateway.run(*sh(SPARE)))
    except NodeError:
        return 0


@reader("its memory")
def _spare(text: str) -> int:
    reserve, *lines = text.splitlines()
    words = [line.split() for line in lines]
    cached = sum(int(word[1]) for word in words if "(file)" in word[0])
    height = sum(int(word[1]) for word in words if word[0] == "high:")
    return (cached - int(reserve)) * 1024 - height // 2 * PAGE_BYTES


def rise(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """The table at the end, with what its counters rose by."""
    both = [name for name in RISING if name in before and name in after]
    return after | {name: after[name] - before[name] for name in both}


def kernel_bytes() -> int:
    """Return the bytes of the kernel's objects for connections on this machine.

    Where they may not be read, all of its slabs, which other work on the machine changes too.
    """
    try:
        rows = [line.split() for line in SLABINFO.read_text().splitlines()[2:]]
    except PermissionError:
        return _meminfo("Slab")
    return sum(int(row[2]) * int(row[3]) for row in rows if row[0] in CACHES)


def available_bytes() -> int:
    """Memory that can be had on this machine."""
    return _meminfo("MemAvailable")


def _meminfo(name: str) -> int:
    for line in MEMINFO.read_text().splitlines():
        key, _, rest = line.partition(":")
        if key == name:
            return int(rest.split()[0]) * 1024
    return 0
