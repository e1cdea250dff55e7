# SPDX-License-Identifier: Apache-2.0
"""What a study printed, a row a value: ours beside it, or the reason why nothing of ours is."""

import re
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Final

from msgspec.structs import replace

from gatemark.judge.change.reference import Beside
from gatemark.store.mapping import Counted
from gatemark.store.published import REFERENCE_UNITS, Published
from gatemark.store.reference import Entry
from gatemark.store.run import UNKNOWN
from gatemark.store.study.outline import Part
from gatemark.tell.answer import reference
from gatemark.tell.group.source import Source
from gatemark.tell.study.claimed import verdicts
from gatemark.tell.study.matter import Gateway, Matter, Pair
from gatemark.tell.study.ratio import by_kernels, divided
from gatemark.tell.words import number, traffic
from gatemark.tell.words.table import NONE, Table

INVENTORY: Final = "device_inventory"
NO_LIKE: Final = "no run that was given has its like"
LIMITED: Final = "the tester was the bottleneck: use a faster one"
NO_SECOND: Final = "a ratio of two devices: give two runs that have it"
TEXT: Final = "text"  # the unit of a value in words
FRACTION: Final = "fraction"
NUMBER: Final = re.compile(r"\d+(\.\d+)?")
EVERYONE: Final = ("-", "all", "both", "all routers")  # devices of a value that is of the study
STUDY: Final = "the study"
OURS: Final = "ours"  # head of the column of reasons where no gateway has a value


def devices(part: Part, matter: Matter) -> Table:
    """The devices of the study, and ours by their inventory."""
    values = matter.values
    facts = [v for v in values if v.experiment == INVENTORY and v.parameter in part.inventory]
    devices = list(dict.fromkeys(value.device for value in facts))
    rows = []
    for parameter, key in part.inventory.items():
        theirs = [_cell(facts, INVENTORY, parameter, device) for device in devices]
        ours = (_fact(gateway.sources[0], key) for gateway in matter.gateways)
        rows.append((in_words(parameter), *theirs, *ours))
    head = ("", *devices, *(gateway.label for gateway in matter.gateways))
    return Table("Devices: as printed, and ours by inventory", head, tuple(rows), frozenset())


def _fact(source: Source, key: str) -> str:
    """A fact of our gateway; a namespace has the processor of the machine that it runs on."""
    known = (source.run.before.get("gateway") or {}).get(key, UNKNOWN)
    text = NONE if known in ("", UNKNOWN) else " ".join(str(known).split())
    return f"{float(text):.0f} MHz" if key.endswith("_mhz") and NUMBER.fullmatch(text) else text


def values(part: Part, matter: Matter, pairs: Sequence[Sequence[Pair]]) -> Table:
    """What was published, by device, with ours before it; or why nothing of ours is.

    A gateway without a value in the table has no column.
    """
    kept = [value for value in matter.values if value.experiment in part.experiments]
    known = list(dict.fromkeys(_device(value) for value in kept))
    every = dict[tuple[str, str, str], Entry]()
    for value in kept:
        pair = value.device if value.ratio else ""
        every.setdefault((value.experiment, value.parameter, pair), value)
    ours = [_beside(value, part, matter, pairs) for value in every.values()]
    shown = [any(cells[place] != NONE for cells in ours) for place in range(len(matter.gateways))]
    rows = []
    for ((*_, pair), value), cells in zip(every.items(), ours, strict=True):
        own = [v for v in kept if pair in ("", v.device)]
        theirs = [_cell(own, value.experiment, value.parameter, device) for device in known]
        words = ", ".join(filter(None, (what(value, part), pair)))
        rows.append((words, *_reasoned(compress(cells, shown), value, matter, pairs), *theirs))
    labels = [gateway.label for gateway in compress(matter.gateways, shown)] or [OURS]
    caption = "As published, and ours: median with interval, and the arithmetic mean"
    return Table(caption, ("what", *labels, *known), tuple(rows), frozenset())


def _reasoned(
    cells: Iterable[str], value: Entry, matter: Matter, pairs: Sequence[Sequence[Pair]]
) -> list[str]:
    """What gateways have beside a value; where none has any, the first cell says why."""
    texts = list(cells)
    if any(text != NONE for text in texts):
        return texts
    return [f"none: {value.why or _lacking(value, matter, pairs)}", *texts[1:]]


def _lacking(value: Entry, matter: Matter, pairs: Sequence[Sequence[Pair]]) -> str:
    """Why nothing of ours stands beside a value that could have something."""
    if value.ratio:
        of = value.ratio.of or value.parameter
        alike = [[p for p in own if _is_of(p, value.experiment, of)] for own in pairs]
        having = [own for own in alike if own]
        is_bound = any(p.beside.at_least for own in having for p in own)
        return LIMITED if len(having) > 1 and is_bound else NO_SECOND
    return LIMITED if (value.experiment, value.parameter) in matter.limited else NO_LIKE


def _beside(value: Entry, part: Part, matter: Matter, pairs: Sequence[Sequence[Pair]]) -> list[str]:
    """What each gateway has beside a published value."""
    if counted := value.counted:
        return [_sizes(gateway, counted) for gateway in matter.gateways]
    if value.claim:
        plans = part.plans or matter.plans
        return [verdicts(gateway, value.claim, plans) for gateway in matter.gateways]
    if value.ratio and value.ratio.kernels:
        return by_kernels(matter.gateways, value.ratio.kernels)
    parameter = value.ratio.of if value.ratio else value.parameter
    alike = [[p for p in run if _is_of(p, value.experiment, parameter)] for run in pairs]
    return divided(matter.gateways, alike) if value.ratio else [_ours(own) for own in alike]


def _sizes(gateway: Gateway, counted: Counted) -> str:
    """The sizes that its kernels worked on, as they report them."""
    command, *words = counted.report.split()
    asked = dict(word.split("=") for word in words)
    sizes = {
        report[counted.key]
        for source in gateway.sources
        for record in source.records
        for report in record.evidence.kernels
        if record.status == "ok" and report["command"] == command and counted.key in report
        if all(str(report.get(name)) == word for name, word in asked.items())
    }
    return "; ".join(f"{size} count" for size in sorted(sizes)) or NONE


def _device(value: Entry) -> str:
    """Its column; a ratio of two devices is in none of theirs."""
    return STUDY if value.ratio or value.device in EVERYONE else value.device


def _is_of(pair: Pair, experiment: str, parameter: str) -> bool:
    published = pair.beside.published
    return (published.experiment, published.parameter) == (experiment, parameter)


def _cell(values: Iterable[Entry], experiment: str, parameter: str, device: str) -> str:
    texts = [
        _printed(value)
        for value in values
        if (value.experiment, value.parameter) == (experiment, parameter)
        and device in (value.device, _device(value))
    ]
    return "; ".join(dict.fromkeys(texts)) or NONE


def _printed(value: Entry) -> str:
    sign = next((sign for sign in reference.SIGN if value.value.startswith(sign)), "")
    text = f"{reference.SIGN.get(sign, '')}{value.value.removeprefix(sign)}"
    unit = "" if value.unit in (TEXT, FRACTION) else f" {value.unit}"
    return f"{reference.ABOUT.get(value.kind, '')}{text}{unit}"


def _ours(pairs: Sequence[Pair]) -> str:
    """Each point of ours that is like a published value, once.

    Several have what distinguishes them before them: run, setup, point.
    """
    names = [(p.run, p.beside.arm, traffic.point(p.beside.point)) for p in pairs]
    differ = [len(set(column)) > 1 for column in zip(*names, strict=True)]
    texts = []
    for pair, name in zip(pairs, names, strict=True):
        whose = ", ".join(filter(None, compress(name, differ)))
        text = _measured(pair.beside, pair.mean)
        texts.append(f"{whose}: {text}" if whose else text)
    return "; ".join(dict.fromkeys(texts)) or NONE


def _measured(ours: Beside, mean: float | None) -> str:
    unit = REFERENCE_UNITS[ours.quantity]
    text = number.quantity_interval(ours.measured, unit, at_least=ours.at_least)
    if mean is None or mean == ours.measured.value:
        return text
    to = number.scale([ours.measured.value], unit)
    return f"{text} (mean {number.value_alone(replace(ours.measured, value=mean), to)})"


def what(value: Entry | Published, part: Part) -> str:
    """What was measured: `UDP, routed: peak throughput`."""
    return f"{part.experiments[value.experiment]}: {in_words(value.parameter)}"


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
