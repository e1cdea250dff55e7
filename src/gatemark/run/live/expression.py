# SPDX-License-Identifier: Apache-2.0
"""A filter as users of tcpdump write it (pcap-filter(7)), compiled here: the gateway gets numbers.

libpcap says what is wrong with a filter, and not where. The place is behind the longest beginning
of it that is a filter by itself.
"""

import asyncio
import re
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from typing import Final

from gatemark.error import UnavailableError, UsageError
from gatemark.node.checked import shown
from gatemark.node.shield import begun

LONGEST: Final = 4000  # characters
WORD: Final = re.compile(r"[()]|[^\s()]+")
MOST_WORDS: Final = 64  # each is tried; in a longer filter the place is not looked for
JOINS: Final = ("and", "or", "not", "&&", "||", "!", "(")  # a filter does not end with one
BEFORE: Final = re.compile(r"^tcpdump: (can't parse filter expression: )?")

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
        return [int(number) for line in text.splitlines()[1:] for number in line.split()]
    place = await _place(expression, begins)
    raise UsageError(f"--filter: {reason}{place}: see pcap-filter(7)")


async def _compiled(expression: str, begins: str) -> tuple[str, str]:
    """What tcpdump makes of it, and why it does not."""
    argv = ("tcpdump", "-y", begins, "-ddd", "--", expression)
    try:
        making = asyncio.create_subprocess_exec(*argv, stdin=DEVNULL, stdout=PIPE, stderr=PIPE)
        process = await begun(making)
    except FileNotFoundError:
        raise UnavailableError(
            "--filter: no tcpdump here, which compiles it: apt-get install tcpdump"
        ) from None
    out, errors = (text.decode(errors="replace") for text in await process.communicate())
    if not process.returncode:
        return out, ""
    return "", BEFORE.sub("", (errors.strip().splitlines() or ["no reason"])[-1])


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
