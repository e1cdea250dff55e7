# SPDX-License-Identifier: Apache-2.0
"""The feature `tunnel:KIND`: its words, and which families each kind carries."""

from collections.abc import Iterable, Sequence
from typing import Final

TUNNEL: Final = "tunnel"
FAMILIES: Final = {  # versions of IP
    "gre": (4, 6),
    "6in4": (6,),
    "ds-lite": (4,),
    "l2tp": (4, 6),
    "esp-aes": (4, 6),
    "esp-chacha": (4, 6),
    "wireguard": (4, 6),
    "464xlat": (4,),
    "nat64": (4,),
}
KINDS: Final = tuple(FAMILIES)
ON_LAN: Final = frozenset(("nat64",))  # the far end is before the LAN host
HEADROOM_BYTES: Final = 80  # that the largest of them adds to a packet
MTU: Final = 1500 - HEADROOM_BYTES  # of each, so one size fits all
PATH_BYTES: Final = 1500  # of an outer packet that the way to the far end takes


def asked_mtu(arguments: Iterable[str]) -> int:
    """The tunnel's MTU as it is asked for; 0: its own."""
    return _number(arguments, "mtu")


def path_bytes(arguments: Iterable[str]) -> int:
    """The longest outer packet that reaches the far end."""
    return _number(arguments, "path") or PATH_BYTES


def kind_of(features: Iterable[str]) -> tuple[str, Sequence[str]]:
    """The kind of an arm's tunnel, and its further words; "" without one."""
    for feature in features:
        name, *words = feature.split(":")
        if name == TUNNEL:
            return words[0], words[1:]
    return "", ()


def _number(arguments: Iterable[str], key: str) -> int:
    given = dict(word.split("=") for word in arguments if "=" in word)
    return int(given.get(key, 0))
