# SPDX-License-Identifier: Apache-2.0
"""The feature `steering:TO`: which of the gateway's CPUs works on what its test ports receive.

    softirq    the CPU that takes a port's interrupt, in its softirq: NAPI not threaded
    threaded   a thread for each queue of a port, wherever the scheduler puts it
    one        its first CPU, whichever took the interrupt
    rps        every CPU but the first, which takes the interrupts where nobody moved them
    all        every CPU

The last three are RPS (Documentation/networking/scaling.rst) with NAPI not threaded.

A gateway of this machine has threads on a CPU that its station gave it (station/napi.py): it is
`threaded` and `one` by itself. In softirqs, or on every CPU, it would forward on the tester's.
"""

import re
from typing import Final

from gatemark.error import UnavailableError
from gatemark.gateway import sysctl
from gatemark.gateway.feature.asked import Asked
from gatemark.node.quoted import sh, shell
from gatemark.node.reader import reader
from gatemark.node.shell import Here

ITSELF: Final = ("threaded", "one")  # how a gateway of this machine is
SHARED: Final = "the packets would be worked on by the tester's processor"
ONE_CPU: Final = "the gateway has one CPU only"
NO_RPS: Final = "its kernel has no RPS"
ONLINE: Final = "/sys/devices/system/cpu/online"
QUEUES: Final = "ls -d /sys/class/net/{port}/queues/rx-*"
SPAN: Final = re.compile(r"(\d+)(?:-(\d+))?")
MOST_CPUS: Final = 8192  # NR_CPUS of every kernel (arch/x86/Kconfig)
WORD_BITS: Final = 32  # of a mask, between two commas (lib/bitmap.c)


async def apply(asked: Asked) -> None:
    """Write `threaded` and `rps_cpus` of each port."""
    (to,) = asked.arguments
    if isinstance(asked.gateway.node, Here):
        if to not in ITSELF:
            raise UnavailableError(SHARED)
        return
    cpus = online(await asked.gateway.run("cat", ONLINE))
    if to in ("rps", "all") and len(cpus) < 2:
        raise UnavailableError(ONE_CPU)
    chosen = {"one": cpus[:1], "rps": cpus[1:], "all": cpus}.get(to, [])
    for port in asked.ports:
        await _steer(asked, port, mask(chosen), threaded=to == "threaded")


async def _steer(asked: Asked, port: str, chosen: str, *, threaded: bool) -> None:
    queues = (await asked.gateway.run(*sh(shell(QUEUES, port=port)))).split()
    masks = [f"{queue}/rps_cpus" for queue in queues]
    thread = f"/sys/class/net/{port}/threaded"
    there = await sysctl.read(asked.gateway, (thread, *masks))
    if threaded and thread not in there:
        raise UnavailableError("its kernel has no threaded NAPI: it came with Linux 5.12")
    if int(chosen.replace(",", ""), 16) and not there.keys() >= {*masks}:
        raise UnavailableError(NO_RPS)
    wanted = {
        path: ("1" if threaded else "0") if path == thread else shown(chosen, was)
        for path, was in there.items()
    }
    await sysctl.write(asked.gateway, asked.changes, wanted)


@reader("the list of its CPUs")
def online(text: str) -> list[int]:
    """CPUs as the kernel lists them: 0-3,6."""
    spans = [(int(first), int(last or first)) for first, last in SPAN.findall(text)]
    if any(last >= MOST_CPUS for _, last in spans):
        raise ValueError(text)
    return [cpu for first, last in spans for cpu in range(first, last + 1)]


def mask(cpus: list[int]) -> str:
    """CPUs as a mask of 32 bits between commas: [0, 33] is 2,00000001."""
    words: list[str] = []
    value = sum(1 << cpu for cpu in cpus)
    while value or not words:
        value, word = divmod(value, 1 << WORD_BITS)
        words.append(f"{word:08x}")
    return ",".join(reversed(words)).lstrip("0,") or "0"


def shown(chosen: str, was: str) -> str:
    """A mask with as many digits as the kernel shows, so that one that is set already is seen."""
    return was if is_same(was, chosen) else chosen


@reader("a mask of CPUs")
def is_same(shown: str, meant: str) -> bool:
    """Return whether two masks name the same CPUs, with however many digits."""
    return int(shown.replace(",", ""), 16) == int(meant.replace(",", ""), 16)
