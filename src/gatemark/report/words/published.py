# SPDX-License-Identifier: Apache-2.0
"""What of an experiment a published value is, in words: `throughput at block ≥ 128 KiB`.

Parameters stand in `published.csv` as short as a key: `throughput@block=>=128KiB`.
"""

import re
from typing import Final

# Whole parameters that nobody reads as such. DIFFUSE's classifier node (CN) is a router that
# decides, its action node (AN) one that acts; its windows hold lengths and counts of packets.
PHRASES: Final[dict[str, str]] = {
    "an_saving_vs_cnan": "saving of an action node alone, against both nodes in one",
    "cnan_vs_baseline_max_increase": "most that both nodes in one add to the baseline",
    "window_plen": "window for packet lengths",
    "window_pcnt": "window for packet counts",
    "pipe_bw": "rate of the pipe",
    "free_memory@l.305": "free memory, by another line of the text",
    "max_throughput_0_loss": "highest throughput without loss",
}
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
    *((r"\bCN\+AN\b", "classifier and action node"), (r"\bAN\b", "action node")),
    *((r"@(\d+)$", r"@\1Mbps"), (r"(\d)pps\b", r"\1packets/s")),  # of the capture study the rate
    *((r"\bipfw\b", "IPFW"), (r"(\d)%", r"\1 % ")),
    *((r"=?>=", " ≥ "), ("~", " about "), ("<", " < "), (">", " > "), ("=", " ")),
    *(("@", " at "), ("_", " "), (",", ", "), ("Mbps", "Mbit/s")),
)
UNIT: Final = re.compile(r"(\d)(KiB|MiB|MB|B|Mbit/s|packets/s|flows)\b")


def in_words(parameter: str) -> str:
    """A parameter of `published.csv` as a table and a sentence have it."""
    if phrase := PHRASES.get(parameter):
        return phrase
    text = parameter
    for sign, words in SIGNS:
        text = re.sub(sign, words, text)
    return UNIT.sub(r"\1 \2", " ".join(WORDS.get(word, word) for word in text.split()))
