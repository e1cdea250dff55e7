# SPDX-License-Identifier: Apache-2.0
"""Make docs/prices.md: what usual rules cost, by processor and kernel, from kept counts.

python docs/prices.py                   writes the page of docs/sample/prices.jsonl
python docs/prices.py count STATION...  counts on these stations, some minutes each, and keeps it
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
KEPT, PAGE = DOCS / "sample/prices.jsonl", DOCS / "prices.md"
ESTABLISHED, NEW = "up tcp ipv4", "up-new tcp ipv4"
DASH = "\u2013"
OPTIONS = ("--packets", "0", "--json", "--family", "ipv4")
COMMENT = 'comment "'
# A rule that is met and does not match, with its name; IPv4 for the addresses.
USUAL = {
    "an address": "ip saddr 192.0.2.1 drop",
    "a network": "ip saddr 192.0.2.0/25 drop",
    "a port": "tcp dport 25 drop",
    "an address and a port": "ip daddr 192.0.2.1 tcp dport 25 drop",
    "an interface by name": 'iifname "elsewhere" drop',
    "an interface by index": 'iif "lo" drop',
    "a state of the connection": "ct state invalid drop",
    "a mark": "meta mark 0x7 drop",
    "a MAC address": "ether saddr 02:00:00:00:00:77 drop",
    "a set of 10 addresses": "ip saddr @ten drop",
    "a set of 250 addresses": "ip saddr @many drop",
    "a set of 250 networks": "ip saddr @networks drop",
    "an address with a port, in a set": "ip daddr . tcp dport { 192.0.2.1 . 25, 192.0.2.2 . 9 }",
    "a counter": "counter",
    "a limit of rate": "limit rate over 1000000/second drop",
    "a mark that is set": "meta mark set 0x8",
    "a mark of the connection that is set": "ct mark set 0x9",
    "a DSCP that is set": "ip dscp set cs1",
    "a look-up of the way back": "fib saddr . iif oif missing drop",
    "a jump to an empty chain": "jump nothing",
}
HEAD = """# What usual rules cost

Instructions of a packet from card to card, without the card's driver, counted by
[`gatemark price`](price.md) on [virtual gateways](stations.md). The kernels are the distribution's.
Made by `docs/prices.py` from docs/sample/prices.jsonl: do not edit.

A rule here is met and does not match; what it does when it matches comes on top. Where an element
lies in a hashed set the kernel draws as the set is loaded: rows of sets vary by steps of some 23.
[Instructions are not time](exact.md#what-it-is-not).
"""
HOW = """
Another station, or a kernel by its package in a [station file](stations.md#every-key):

<!-- not run: it takes minutes -->
```console
$ python docs/prices.py count qemu-x86
```
"""


def ruleset() -> str:
    """The usual rules as a file of nft."""
    many = [f"10.77.{n % 5}.{n + 1}" for n in range(250)]
    networks = [f"10.{78 + n // 125}.{n % 125 * 2}.0/24" for n in range(250)]
    sets = {"ten": many[:10], "many": many, "networks": networks}
    lines = ["table inet usual {"]
    for name, elements in sets.items():
        flags = " flags interval;" if name == "networks" else ""
        listed = ", ".join(elements)
        lines.append(f"set {name} {{ type ipv4_addr;{flags} elements = {{ {listed} }} }}")
    lines += [
        "chain nothing { }",
        "chain forward {",
        "type filter hook forward priority filter; policy drop;",
        *(f'{rule} {COMMENT}{name}"' for name, rule in USUAL.items()),
        f'ct state established,related accept {COMMENT}known connections are accepted"',
        f'iifname "lan" oifname "wan" accept {COMMENT}LAN to WAN by name, which matches"',
        "}",
        "chain post {",
        "type nat hook postrouting priority srcnat;",
        f'oifname "wan" masquerade {COMMENT}masquerade"',
        "}",
        "}",
    ]
    return "\n".join((*lines, ""))


def count(station: str) -> Mapping[str, Any]:
    """The prices of the usual rules on a station."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "usual.nft"
        file.write_text(ruleset())
        command = [sys.executable, "-m", "gatemark", "price", str(file), "--station", station]
        done = subprocess.run([*command, *OPTIONS], stdout=subprocess.PIPE, text=True, check=True)
    return kept(station, [json.loads(line) for line in done.stdout.splitlines()])


def kept(station: str, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """A line of what is kept: packets' counts, and prices by a rule's name and packet."""
    packets = {row["packet"]: row for row in rows if "packet" in row}
    # Neighbours of one shape that cost the same are one row: each has its share.
    prices = {
        rule.partition(COMMENT)[2].rstrip('"'): {
            packet: price // len(row["rules"]) for packet, price in row["instructions"].items()
        }
        for row in rows
        if "rules" in row and isinstance(row["rules"], list)
        for rule in row["rules"]
    }
    return {
        "station": Path(station).stem,
        "gateway": packets[ESTABLISHED]["gateway"],
        "bare": {name: row["bare"] for name, row in packets.items()},
        "hooks": {
            name: row["instructions"] - row["bare"] - row["rules"]
            for name, row in packets.items()
            if row["bare"] is not None and row["rules"] is not None
        },
        "prices": prices,
    }


def page(lines: Sequence[Mapping[str, Any]]) -> str:
    """The page of what is kept."""
    if not lines:
        return f"{HEAD}\nNothing is kept yet.\n{HOW}"
    parts = [HEAD]
    for title, packet in (
        ("An established connection, LAN to WAN, IPv4", ESTABLISHED),
        ("A new connection, LAN to WAN, IPv4", NEW),
    ):
        parts += [f"\n## {title}\n", *_table(lines, packet)]
    return "\n".join(parts).replace("\n\n\n", "\n\n") + "\n" + HOW


def _table(lines: Sequence[Mapping[str, Any]], packet: str) -> Iterator[str]:
    yield "| | " + " | ".join(line["gateway"] for line in lines) + " |"
    yield "|---|" + "---|" * len(lines)
    yield _row("the kernel alone: routed", [line["bare"].get(packet) for line in lines])
    yield _row("tracking, and three hooks", [line["hooks"].get(packet) for line in lines], "+")
    names = [name for line in lines for name in line["prices"]]
    order = {name: at for at, name in enumerate(USUAL)}
    for name in sorted(dict.fromkeys(names), key=lambda name: order.get(name, len(order))):
        cells = [line["prices"].get(name, {}).get(packet) for line in lines]
        if any(cell is not None for cell in cells):
            yield _row(name, cells, "+")


def _row(name: str, cells: Sequence[int | None], sign: str = "") -> str:
    texts = [DASH if cell is None else f"{cell:{sign}}" for cell in cells]
    return f"| {name} | " + " | ".join(texts) + " |"


def kept_lines() -> list[Mapping[str, Any]]:
    """What was counted so far, a line a gateway."""
    return [json.loads(line) for line in KEPT.read_text().splitlines()] if KEPT.exists() else []


def main(words: Sequence[str]) -> None:
    """Count, where stations are named; then write the page."""
    lines = kept_lines()
    for station in words[1:]:
        fresh = count(station)
        lines = [line for line in lines if line["gateway"] != fresh["gateway"]] + [fresh]
        lines.sort(key=lambda line: line["gateway"])
        KEPT.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    PAGE.write_text(page(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
