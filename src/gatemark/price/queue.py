# SPDX-License-Identifier: Apache-2.0
"""Queues of `tc -s qdisc` priced: a packet with each less one without a queue.

tc prints a queue's settings in the words that it takes, but for a few, so each line becomes the
command that makes its queue again. Classes are not in these lines: a queue of classes (htb, hfsc)
and the queues in it are named and not priced.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gatemark.error import NodeError, UsageError
from gatemark.node import checked
from gatemark.node.quoted import shell
from gatemark.node.script import script as run
from gatemark.price.gateway import Counted, shifts
from gatemark.price.session import Session
from gatemark.price.traffic import Kind
from gatemark.printable import one_line
from gatemark.tell.words.number import DASH
from gatemark.tell.words.screen import Line
from gatemark.tell.words.table import Table

LINE: Final = re.compile(
    r"^qdisc (?P<kind>\w+) (?P<handle>\w*): (?:dev (?P<device>\S+) )?"
    r"(?P<place>root|parent \S+|ingress\S*|clsact)(?: refcnt \d+)?(?P<words>.*)$",
    re.MULTILINE,
)
PACKETS: Final = re.compile(r"^(\d+)p$")  # as tc prints a limit, which it takes without p
WORD: Final = re.compile(r"[\w./%:-]+")
OF_CLASSES: Final = ("htb", "hfsc", "drr", "qfq", "ets", "mqprio", "taprio")
PLAIN: Final = ("noqueue", "mq", "ingress", "clsact", "pfifo_fast")  # what is there anyway
ADD: Final = "tc qdisc replace dev {device} root {kind} {words}"
NONE: Final = "tc qdisc replace dev {device} root noqueue"


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of a device, in tc's words."""

    device: str
    kind: str
    words: tuple[str, ...]

    @property
    def text(self) -> str:
        """The queue in a line."""
        return " ".join((self.device, self.kind, *self.words))


@dataclass(slots=True)
class Priced:
    """A queue, and the instructions that kinds of packet take more by it."""

    queue: Queue
    prices: dict[Kind, int] = field(default_factory=dict)
    why: str = ""  # tc refused it


@dataclass(frozen=True, slots=True)
class Queues:
    """The queues of a file, and what is not priced of it."""

    queues: tuple[Queue, ...]
    notes: tuple[str, ...]


def read(name: str, text: str) -> Queues:
    """The queues in what `tc -s qdisc` printed. Raises UsageError."""
    queues, notes = [], []
    for match in LINE.finditer(text):
        queue = Queue(match["device"] or "wan", match["kind"], _taken(match["words"]))
        if queue.kind in PLAIN:
            continue
        if match["place"] != "root" or queue.kind in OF_CLASSES:
            notes.append(f"not priced, as its classes are not in this file: {one_line(match[0])}")
        elif faults := [word for word in queue.words if not WORD.fullmatch(word)]:
            raise UsageError(f"{name}: no word of tc's: {one_line(faults[0])}")
        else:
            checked.device(queue.device)
            queues.append(queue)
    if not queues:
        raise UsageError(f"{name}: no queue in it that can be priced: " + (notes or ["none"])[0])
    return Queues(tuple(dict.fromkeys(queues)), tuple(notes))


def _taken(words: str) -> tuple[str, ...]:
    return tuple(PACKETS.sub(r"\1", word) for word in words.split())


async def priced(
    session: Session, queues: Queues, kinds: Iterable[Kind], say: Callable[[str], None]
) -> tuple[dict[Kind, Counted], list[Priced]]:
    """The kinds without a queue, and what each queue adds. Raises GatemarkError."""
    node = session.lab.gateway.node
    await session.load("", whole=True)
    for device in session.lab.gateway.devices.values():
        await run(node, shell(NONE, device=device))
    bare = await session.count(kinds)
    known = {kind: row.fate for kind, row in bare.items() if row.modes}
    rows = []
    ports = set(session.lab.gateway.devices.values())
    for queue in queues.queues:
        say(queue.text)
        if queue.device not in ports:
            rows.append(Priced(queue, why="neither the LAN nor the WAN port: --lan, --wan"))
            continue
        device, words = queue.device, queue.words
        try:
            await run(node, shell(ADD, device=device, kind=queue.kind, words=words))
        except NodeError as error:
            rows.append(Priced(queue, why=one_line((error.output or str(error)).strip())))
            continue
        session.renew()
        counted = await session.count(known, known)
        rows.append(Priced(queue, shifts(bare, counted)))
        await run(node, shell(NONE, device=device))
    return bare, rows


def lines(
    where: str, bare: Mapping[Kind, Counted], rows: Iterable[Priced], notes: Iterable[str]
) -> Iterator[Line]:
    """Print what each queue adds to a packet."""
    rows = list(rows)
    kinds = [kind for kind in bare if any(kind in row.prices for row in rows)]
    yield "bold", f"{len(rows)} queues, on {where}"
    yield "", "Instructions of a packet more than without a queue:"
    yield "", ""
    head = (*(kind.label for kind in kinds), "queue")
    cells = [
        (*(str(row.prices.get(kind, DASH)) for kind in kinds), row.queue.text)
        for row in rows
        if not row.why
    ]
    for text in Table("", head, tuple(cells), frozenset(range(len(kinds)))).lines():
        yield "", text
    for row in rows:
        if row.why:
            yield "yellow", f"not priced: {row.queue.text}: {row.why}"
    for note in notes:
        yield "yellow", note


def data(rows: Iterable[Priced]) -> Iterator[Mapping[str, Any]]:
    """Yield a JSON object a queue."""
    for row in rows:
        prices = {kind.label: price for kind, price in row.prices.items()}
        yield {"queue": row.queue.text, "instructions": prices, "why": row.why}
