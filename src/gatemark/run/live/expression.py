# SPDX-License-Identifier: Apache-2.0
"""A filter as users of tcpdump write it (pcap-filter(7)), compiled here: the gateway gets numbers.

libpcap compiles `vlan` for a device, where the kernel keeps the tag beside the packet, in another
way than for a file. So for Ethernet tcpdump compiles it for the `lo` of a namespace of its own.

libpcap says what is wrong with a filter, and not where. The place is behind the longest beginning
of it that is a filter by itself.
"""

import asyncio
import os
import re
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from typing import Final

from gatemark.error import UnavailableError, UsageError
from gatemark.node.checked import shown
from gatemark.node.quoted import sh, shell
from gatemark.node.shield import begun

LONGEST: Final = 4000  # characters
NO_TCPDUMP: Final = "--filter: no tcpdump here, which compiles it: apt-get install tcpdump"
NOT_FOUND: Final = 127  # a shell's exit code for a command that is not there
WORD: Final = re.compile(r"[()]|[^\s()]+")
MOST_WORDS: Final = 64  # each is tried; in a longer filter the place is not looked for
JOINS: Final = ("and", "or", "not", "&&", "||", "!", "(")  # a filter does not end with one
BEFORE: Final = re.compile(r"^tcpdump: (can't parse filter expression: )?")
VLAN: Final = re.compile(r"\bvlan\b")
# Where the kernel keeps what it knows of a packet besides (linux/filter.h), and what of it is read
# by the engine: SKF_AD_OFF, SKF_AD_VLAN_TAG, SKF_AD_VLAN_TAG_PRESENT.
BESIDES: Final = 0xFFFFF000
TAGS: Final = (BESIDES + 44, BESIDES + 48)
LOADS: Final = (0x20, 0x28, 0x30)  # ld, ldh, ldb of a place

# Type of a device (linux/if_arp.h) -> how its packets begin, by its name in pcap-linktype(7).
LINKS: Final[Mapping[str, str]] = {"1": "EN10MB", "772": "EN10MB"}
RAW: Final = "RAW"  # of all others the engine keeps the IP packet alone


def link(types: Mapping[str, str]) -> str:
    """What devices have in common, of their types. Raises UsageError where nothing is."""
    links = {device: LINKS.get(kind, RAW) for device, kind in types.items()}
    if len(set(links.values())) > 1:
        devices = " and ".join(links)
        raise UsageError(
            f"--filter: packets of {devices} begin in different ways: capture one device at a time"
        )
    return next(iter(links.values()))


async def classic(expression: str, begins: str) -> list[int]:
    """A filter as classic BPF, four numbers an instruction; none for an empty one.

    Raises UsageError with the place of what is wrong.
    """
    if not expression.strip():
        return []
    if len(expression) > LONGEST or "\0" in expression:
        raise UsageError(f"--filter: at most {LONGEST} characters, none of them NUL")
    text, reason = await _compiled(expression, begins)
    if not reason:
        code = [int(number) for line in text.splitlines()[1:] for number in line.split()]
        _require_read(code)
        return code
    place = await _place(expression, begins)
    raise UsageError(f"--filter: {reason}{place}: see pcap-filter(7)")


def _require_read(code: list[int]) -> None:
    """Raise UsageError for a filter of what the engine does not know of a packet."""
    places = {k for load, k in zip(code[::4], code[3::4], strict=True) if load in LOADS}
    if any(place >= BESIDES and place not in TAGS for place in places):
        raise UsageError(
            "--filter: no inbound and outbound here: each way is an interface of the capture"
        )


async def _compiled(expression: str, begins: str) -> tuple[str, str]:
    """Return what tcpdump makes of it, and why it does not."""
    if begins == RAW:
        return await _tcpdump("tcpdump", "-y", begins, "-ddd", "--", expression)
    live = sh(
        shell("ip link set lo up && exec tcpdump -pi lo -y EN10MB -ddd -- {it}", it=expression)
    )
    alone = ("--net",) if os.geteuid() == 0 else ("--net", "--user", "--map-root-user")
    text, reason = await _tcpdump("unshare", *alone, *live)
    if not reason.startswith("unshare:"):
        return text, reason
    if VLAN.search(expression):
        raise UnavailableError(
            f"--filter: vlan is compiled in a network namespace ({reason}): run it as root"
        )
    return await _tcpdump("tcpdump", "-y", begins, "-ddd", "--", expression)


async def _tcpdump(*argv: str) -> tuple[str, str]:
    """Return what a command prints, and why it fails. Raises UnavailableError."""
    try:
        making = asyncio.create_subprocess_exec(*argv, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
        process = await begun(making)
    except FileNotFoundError:
        raise UnavailableError(NO_TCPDUMP) from None
    out, errors = (text.decode(errors="replace") for text in await process.communicate())
    if not process.returncode:
        return out, ""
    last = (errors.strip().splitlines() or ["no reason"])[-1]
    if process.returncode == NOT_FOUND:
        raise UnavailableError(NO_TCPDUMP)
    return "", BEFORE.sub("", last)


async def _place(expression: str, begins: str) -> str:
    words = list(WORD.finditer(expression))
    if len(words) > MOST_WORDS:
        return ""
    sound = 0
    for count in range(len(words) - 1, 0, -1):
        beginning = expression[: words[count - 1].end()]
        opened = beginning.count("(") - beginning.count(")")
        if opened >= 0 and not (await _compiled(beginning + ")" * opened, begins))[1]:
            sound = count
            break
    while sound < len(words) and words[sound][0].lower() in JOINS:
        sound += 1
    if sound == len(words):
        return f" at its end, behind {shown(words[-1][0])}"
    return f" at {shown(words[sound][0])}, character {words[sound].start() + 1}"
