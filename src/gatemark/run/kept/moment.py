# SPDX-License-Identifier: Apache-2.0
"""What is kept of a trial's captures: the packets around those that were lost, late or doubled.

Around means in the order in which a place saw them, so hosts need no common clock. A comment of a
packet says what became of it, and which packets before it were seen nowhere.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from gatemark.number import duration
from gatemark.run.kept import pcapng
from gatemark.run.kept.header import Header, header
from gatemark.run.kept.pcapng import Interface, Packet
from gatemark.run.kept.watch import SNAPLEN, Captured, Place
from gatemark.run.result.ledger import Ledger
from gatemark.store.record import Record
from gatemark.workload.way import Way

MOST_BYTES: Final = 4 << 20  # of a file
AROUND: Final = 32  # packets before and behind one that is told
MOST_TOLD: Final = 20_000  # packets of a direction
LATE_TIMES: Final = 20.0  # an odd delay: so many medians,
LATE_NS: Final = 1e6  # and at least this
NAMED: Final = 100  # runs of lost packets in one comment
WRAP_NS: Final = 1 << 39

Key = tuple[int, int]  # flow and number


def odd(record: Record) -> list[str]:
    """What is odd in a trial, in words; nothing in most."""
    words = []
    books, values = record.accounting, record.values
    if books and books.lost:
        words.append(f"{books.lost} packets lost")
    if books and (wrong := books.duplicated + books.corrupt):
        words.append(f"{wrong} packets doubled or changed")
    if books and books.mismatch:
        words.append("the books do not agree with the ports' counters")
    worst, middle = values.get("delay_max_ns", 0.0), values.get("delay_p50_ns", 0.0)
    if worst >= max(LATE_NS, LATE_TIMES * middle):
        words.append(f"a delay of {duration(worst)} at a median of {duration(middle)}")
    return words


@dataclass(slots=True)
class Sight:
    """The test packets that a place saw of one direction, in their order."""

    place: Place
    packets: list[Packet] = field(default_factory=list)
    headers: list[Header] = field(default_factory=list)

    def add(self, packet: Packet, of: Header) -> None:
        """One more."""
        self.packets.append(packet)
        self.headers.append(of)

    @property
    def keys(self) -> list[Key]:
        """Each packet's flow and number."""
        return [(of.flow, of.number) for of in self.headers]


@dataclass(frozen=True, slots=True)
class Direction:
    """One direction of a trial, and where its packets pass."""

    way: Way
    places: Sequence[Place]
    tagged: bool


def kept(title: str, directions: Sequence[Direction], captured: Sequence[Captured]) -> bytes:
    """A file with what is told of these directions; empty where nothing of it was seen."""
    rows: list[tuple[Packet, str]] = []
    notes = [
        f"{host.host}: {host.dropped} packets found no room" for host in captured if host.dropped
    ]
    notes += [f"{host.host}: the end of the trial is not in it" for host in captured if host.is_cut]
    for direction in directions:
        sights = _sights(direction, captured)
        seen = [sight for sight in sights if sight.packets]
        blind = [sight.place.name for sight in sights if not sight.packets]
        if blind:
            notes.append(f"nothing was to be seen at {', '.join(blind)}")
        rows += _commented(direction, seen) if seen else ()
    if not rows:
        return b""
    return _written("; ".join((title, *dict.fromkeys(notes))), rows)


def _sights(direction: Direction, captured: Sequence[Captured]) -> list[Sight]:
    """What each place of a direction saw."""
    sights = {(p.node.name, p.device, p.way): Sight(p) for p in direction.places}
    numbering = direction.way.numbering
    flows = numbering.flows if numbering else 0
    for host in captured:
        for packet in pcapng.read(host.stream):
            at = packet.interface
            sight = sights.get((host.host, at.name, at.description))
            of = header(packet.data, at.link, tagged=direction.tagged) if sight else None
            if sight and of and of.flow < flows:
                sight.add(packet, of)
    return list(sights.values())


def _commented(direction: Direction, seen: Sequence[Sight]) -> Iterator[tuple[Packet, str]]:
    """Packets around those that something is said of, each at each place, with its comment."""
    last: dict[Key, str] = {}
    for sight in seen:
        last |= dict.fromkeys({*sight.keys}, f"{sight.place.name} ({sight.place.way})")
    missing = _missing(direction.way)
    comments = {**dict(_doubled(seen[-1])), **dict(_latest(seen[-1]))}
    comments |= {
        key: f"lost: flow {key[0]} number {key[1]}, seen last at {last[key]}"
        for key in missing
        if key in last
    }
    before = unseen(seen[0].keys, [key for key in missing if key not in last])
    wanted = _around(seen[0], {*comments, *before})
    for sight in seen:
        for packet, key in zip(sight.packets, sight.keys, strict=True):
            if key in wanted:
                texts = [comments.get(key, "")]
                texts += [before.get(key, "")] if sight is seen[0] else []
                yield _at(packet, sight.place), "; ".join(filter(None, texts))


def _at(packet: Packet, place: Place) -> Packet:
    interface = Interface(place.name, place.way, packet.interface.link)
    return Packet(interface, packet.time_ns, packet.length, packet.data)


def _missing(way: Way) -> list[Key]:
    """Packets that did not come, the first by number."""
    if way.numbering is None or "ledger" not in way.sink:
        return []
    ledger = Ledger.read(way.numbering.flows, way.sender, way.sink)
    keys: list[Key] = []
    for flow, bits in enumerate(ledger.missing if ledger else ()):
        text, at = format(bits, "b")[::-1], -1
        while (at := text.find("1", at + 1)) >= 0:
            keys.append((flow, at))
    return sorted(keys, key=lambda key: key[1])[:MOST_TOLD]


def _doubled(sight: Sight) -> Iterator[tuple[Key, str]]:
    for key, times in Counter(sight.keys).items():
        if times > 1:
            yield key, f"flow {key[0]} number {key[1]} was seen {times} times"


def _latest(sight: Sight) -> Iterator[tuple[Key, str]]:
    """The packet that took longest until this place, where it took much longer than the others."""
    base = sight.packets[0].time_ns - sight.headers[0].sent_ns
    took = [
        (packet.time_ns - of.sent_ns - base + WRAP_NS // 2) % WRAP_NS - WRAP_NS // 2
        for packet, of in zip(sight.packets, sight.headers, strict=True)
    ]
    least, middle = min(took), sorted(took)[len(took) // 2]
    worst = max(range(len(took)), key=took.__getitem__)
    longer = took[worst] - least
    if longer >= max(LATE_NS, LATE_TIMES * (middle - least)):
        of = sight.headers[worst]
        where = f"{sight.place.name} ({sight.place.way})"
        yield (
            (of.flow, of.number),
            f"latest: flow {of.flow} number {of.number} came to {where} "
            f"{duration(longer)} later than the fastest packet",
        )


def unseen(there: Sequence[Key], keys: Sequence[Key]) -> dict[Key, str]:
    """What is said of packets that no place saw: at the next one of their flow that one did.

    Behind the last one, at that; of a flow of which nothing was seen, at the first packet of all.
    """
    numbers: dict[int, list[int]] = {}
    for flow, number in sorted(set(there)):
        numbers.setdefault(flow, []).append(number)
    lost: dict[Key, dict[int, list[int]]] = {}
    for flow, number in sorted(keys):
        own = numbers.get(flow)
        at = (flow, own[min(bisect_left(own, number), len(own) - 1)]) if own else there[0]
        lost.setdefault(at, {}).setdefault(flow, []).append(number)
    return {
        at: "; ".join(_runs(flow, of) for flow, of in flows.items()) for at, flows in lost.items()
    }


def _runs(flow: int, numbers: Sequence[int]) -> str:
    """`lost: flow 3 numbers 48 to 60, 63, seen nowhere`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    words = [" to ".join(map(str, run)) for run in runs]
    more = f" and {len(words) - NAMED} more runs" if words[NAMED:] else ""
    plural = "s" if len(numbers) > 1 else ""
    return f"lost: flow {flow} number{plural} {', '.join(words[:NAMED])}{more}, seen nowhere"


def _around(sight: Sight, odd_keys: set[Key]) -> set[Key]:
    """These packets and those around them, as this place saw them."""
    keys = sight.keys
    around = set(odd_keys)
    until = 0
    for at, key in enumerate(keys):
        if key in odd_keys:
            first = max(until, at - AROUND)
            until = min(len(keys), at + AROUND + 1)
            around.update(keys[first:until])
    return around


def _written(title: str, rows: list[tuple[Packet, str]]) -> bytes:
    """In the order of time, as far as there is room."""
    interfaces = list(dict.fromkeys(packet.interface for packet, _ in rows))
    parts = [pcapng.section(title, interfaces, SNAPLEN)]
    left = MOST_BYTES - len(parts[0])
    for packet, comment in sorted(rows, key=lambda row: attrgetter("time_ns")(row[0])):
        block = pcapng.packet(interfaces.index(packet.interface), packet, comment)
        left -= len(block)
        if left < 0:
            break
        parts.append(block)
    return b"".join(parts)
