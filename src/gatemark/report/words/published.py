# SPDX-License-Identifier: Apache-2.0
"""What of an experiment a published value is, in words: `throughput at block ≥ 128 KiB`.

Parameters stand in `published.csv` as short as a key: `throughput@block=>=128KiB`.
"""

import re
from typing import Final

# Words of a parameter that nobody reads as such.
WORDS: Final[dict[str, str]] = {
    "abs": "as a rate",
    "cpu": "CPU",
    "d2fa": "D2FA",
    "e2e": "end to end",
    "hfa": "hybrid FA",
    "hnat": "HNAT",
    "len": "length",
    "mhz": "MHz",
    "nat": "NAT",
    "owd": "one-way delay",
    "pps": "packets/s",
    "rx": "received",
    "sst": "shape shifting trie",
    "tbm": "tree bitmap",
    "tcp": "TCP",
    "tx": "sent",
    "udp": "UDP",
    "udp4": "UDP over IPv4",
    "udp6": "UDP over IPv6",
    "vs": "against",
}
SIGNS: Final = (
    *((r"=?>=", " ≥ "), ("~", " about "), ("<", " < "), (">", " > "), ("=", " ")),
    *(("@", " at "), ("_", " "), (",", ", "), ("Mbps", "Mbit/s")),
)
UNIT: Final = re.compile(r"(\d)(KiB|MiB|MB|B|Mbit/s|packets/s|flows)\b")


def in_words(parameter: str) -> str:
    """A parameter of `published.csv` as a table and a sentence have it."""
    text = parameter
    for sign, words in SIGNS:
        text = re.sub(sign, words, text)
    return UNIT.sub(r"\1 \2", " ".join(WORDS.get(word, word) for word in text.split()))
