# SPDX-License-Identifier: Apache-2.0
"""The first answer of the quick plans held against the records of its run.

`contradictions` reads what `gatemark show RUN` printed and names what the records do not give, by
sums of its own. A knee is the best of those that are tried, so it may be off by a step. Where the
answer says what is wrong (`But NAT ...`), knees are judged without the loss that this explains.
That part is not recomputed: such knees are held against the other numbers alone.
"""

import json
import re
from collections.abc import Iterable
from functools import cache
from itertools import takewhile
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from printed import (
    SINGLE,
    SPAN,
    Cell,
    Claim,
    Claims,
    N,
    Table,
    around_zeros,
    ends,
    number,
    off,
    table,
    unit,
)
from sums import Trial, Truth, around, curves, fewer, fewer_in_pairs, is_clean, kept_at, knee, tried

Arms = dict[str, dict[Any, list[Trial]]]  # by arm, then by size or rate
PPS: Final = "k packets/s"
DRIFT: Final = 0.03  # medians of two arms may be of other repeats than their pairs
UNITS: Final = {"time a": "packet, µs", "fewer": "packets, %"}
AT: Final = r"p50 at(?: ([\d.]+) k)?"
LOAD: Final = re.compile(rf"no loss to knee kept at {AT} p99 {AT} {PPS} {PPS} 2x, % µs µs ms")
FAST: Final = re.compile(
    rf"routes (?:≥ )?({N}) ?([kM]?) packets/s of (\d+ bytes)(?: on one core)? \((?:≥ )?({N}) "
    rf"([GMk]?)bit/s at (\d+ bytes)\)(?: and NATs ({N}(?: ± {N}| \([^)]+\))?) % fewer)?;"
)
SLOW: Final = re.compile(
    rf"(bridge|route|NAT)s(?: with (\S+(?: \+ \S+)*))? (?:≥ )?({N}) ?([kM]?)"
    rf"(?: packets/s of (\d+)-byte frames \(({N}) ?([GMk]?)bit/s on the wire\))?"
)
CLAUSE: Final = re.compile(
    r"(enough|not enough|too close to tell|not known) (?:at|with) (\d+ bytes|IMIX)"
    rf"(?: \((?:leaves|needs) {SPAN} % of (?:the gateway|it)\))?"
)
RATE, WIRE = "received_pps", "received_l1_bps"
PREFIX: Final = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
WAYS: Final = {"up": "", "down": " ↓ down", "both": " ↕ both"}
PATHS: Final = {"bridge": "switch", "route": "route", "NAT": "nat"}


class Kept(NamedTuple):
    """A run's valid trials of the gateway alone, in our own UDP."""

    plans: list[Any]
    line: list[float]
    free: dict[str, Arms]  # as fast as it goes: by direction
    swept: Arms  # of the first plan that has a sweep


def contradictions(folder: Path, text: str) -> list[str]:
    """What a first answer says that the records of its run do not. The run is read once."""
    kept = read(folder)
    begins, _, below = text.partition("\n\n")
    begins = " ".join(re.split(r"\n(?:Virtual|missing|Not measured)", begins)[0].split())
    headline, _, wrong = begins.partition(" But ")
    against, up = bases(kept.plans), kept.free["up"]
    names = {f"{arm}{on}": arm for arm in up for on in ("", f" on {against[arm]}")}
    fast = table(below, "At full speed", names)
    load = table(below, "Slowed to a home|More and more packets", {arm: arm for arm in kept.swept})
    claims = (
        *of_speed(fast, up, against, {p["name"] for p in kept.plans if p["repeat"]["turn_ms"]}),
        *of_load(load, kept.swept, is_known=not wrong),
        *of_headline(headline, (fast, up), (load, kept.swept)),
        *of_line(" ".join(below.split()), kept.free, kept.line),
    )
    texts = (claim if isinstance(claim, str) else off(claim) for claim in claims)
    # Tables have what was measured once, where the headline says so; the line's answer has not.
    once = headline.startswith("No rate is told yet")
    return [t for t in texts if t and not (once and SINGLE in t and not t.startswith("line"))]


@cache
def read(folder: Path) -> Kept:
    run = json.loads((folder / "run.json").read_text())
    free: dict[str, Arms] = {"up": {}, "down": {}}
    sweeps: dict[str, Arms] = {plan["name"]: {} for plan in run["plans"]}
    for trial in filter(counts, map(json.loads, (folder / "trials.jsonl").open())):
        kind, arm, rate = trial["definition"], trial["arm"], trial["point"].get("rate_pps")
        size = f"{kind['frame_bytes']} bytes" if kind["frame_bytes"] else kind["mix"].upper()
        if rate:
            points = sweeps[trial["plan"]].setdefault(arm + WAYS[kind["direction"]], {})
            points.setdefault(rate, []).append(trial)
        elif not kind["slow_to_pps"] and kind["direction"] in free:
            free[kind["direction"]].setdefault(arm, {}).setdefault(size, []).append(trial)
    return Kept(run["plans"], run["line"], free, next(filter(None, sweeps.values()), {}))


def counts(trial: Trial) -> bool:
    kind = trial["definition"]
    asked = [kind[name] for name in ("l4", "family", "driver", "quantity")]
    is_read = trial["status"] == "ok" and trial["pass"] in ("outside", "instrumented")
    is_sent = asked == ["udp", "ipv4", "gatemark", "received rate"]
    return is_read and is_sent and kind["path"] != "direct"


def bases(plans: list[Any]) -> dict[str, str]:
    """What each arm is compared with: the first one of its plan, if no other is named."""
    own = {plan["name"]: [a for a in plan["arm"] if a["path"] != "direct"] for plan in plans[::-1]}
    return {arm["name"]: arm["against"] or arms[0]["name"] for arms in own.values() for arm in arms}


def named(arms: Arms, path: str, features: str = "") -> str:
    """The arm of a setup; without features also that of NAT with what it brings itself."""
    kinds = {arm: next(iter(points.values()))[0]["definition"] for arm, points in arms.items()}
    asked = features.split(" + ") if features else []
    own = [asked, ["conntrack"]] if path == "nat" and not asked else [asked]
    return next((a for a, k in kinds.items() if k["path"] == path and k["features"] in own), "")


def values(trials: Iterable[Trial], quantity: str) -> list[float]:
    """From outside; from within where nobody else reads a CPU."""
    known = [t for t in trials if quantity in t["values"]]
    outside = [t["values"][quantity] for t in known if t["pass"] == "outside"]
    is_cpu = quantity in ("cpu_busy", "packet_ns")
    return outside or [t["values"][quantity] for t in known if is_cpu]


def busy(caption: str, points: Iterable[list[Trial]]) -> Claims:
    """Of a caption: the least and the most that the CPU was busy at any of these points."""
    if printed := re.search(r": CPU (\d+)(?: to (\d+))? % busy", caption):
        shares = [median(values(trials, "cpu_busy")) for trials in points]
        ends = [f"{100 * end:.0f}" for end in (min(shares), max(shares))]
        if [printed[1], printed[2] or printed[1]] != ends:
            yield f"caption{printed[0]}, not {ends}"


def of_speed(shown: Table, arms: Arms, against: dict[str, str], turned: set[str]) -> Claims:
    """The table of full speed: sizes, units, caption, then rows; `turned`: plans in turns."""
    sizes = [head for head in shown.heads if head not in UNITS]
    small = [size for size in sizes if size.endswith("bytes") and number(size[:-6]) <= 128]
    units = [UNITS.get(head, PPS if head in small else "Mbit/s") for head in shown.heads]
    points = {(arm, size): trials for arm, own in arms.items() for size, trials in own.items()}
    points = {at: trials for at, trials in points.items() if values(trials, RATE)}
    plans = {trial["plan"] for trials in points.values() for trial in trials}
    if {*sizes} != {size for _, size in points} or shown.units != " ".join(units) or len(plans) > 1:
        yield f"full speed: {shown.heads}, {shown.units}, {plans}"
    yield from busy(shown.caption, points.values())
    for arm, cells in shown.rows.items():
        if len(cells) != len(shown.heads) or arm not in arms:
            yield f"full speed, {arm}: no such arm, or {len(cells)} numbers"
            continue
        cell = dict(zip(shown.heads, cells, strict=True))
        for size in sizes:
            name, factor = (RATE, 1e3) if size in small else (WIRE, 1e6)
            truth = around(values(points.get((arm, size), []), name))
            yield Claim(f"{arm}, {size}", cell[size], truth, factor)
        base = shown.rows.get(against[arm], cells)[0]
        is_compared = arm != against[arm] and not (cells[0]["bound"] or base["bound"])
        own, other = (points.get((name, sizes[0]), []) for name in (arm, against[arm]))
        others = other if is_compared else []
        yield from of_packets(arm, cell, own, others, is_paired={*plans} <= turned)


def of_packets(
    arm: str, cell: dict[str, Cell], own: list[Trial], base: list[Trial], *, is_paired: bool
) -> Claims:
    """The time of the smallest packets, and how many fewer there are than of the base.

    `is_paired`: arms took turns, so each repeat gives one ratio.
    """
    rates, times = values(own, RATE), values(own, "packet_ns")
    if "time a" in cell:
        yield Claim(f"{arm}, time", cell["time a"], around(times), 1e3)
    if times:
        a, b = (sorted(rates)[i // 2] for i in (len(rates) - 1, len(rates)))
        cores = max(values(own, "cpu_busy")) * (a + b) ** 2 / (4 * a * b)  # of even medians
        if median(rates) * median(times) / 1e9 > 1.000001 * cores:
            yield f"{arm}: rate times time is more than {cores:.3f} cores"
    if "fewer" in cell:
        by_repeat = {trial["repeat"]: rate for trial, rate in rated(base)}
        pairs = [(by_repeat.get(trial["repeat"], 0), rate) for trial, rate in rated(own)]
        truth = fewer([*by_repeat.values()], rates)
        if is_paired:
            truth = fewer_in_pairs([rate / other for other, rate in pairs if other])
        yield Claim(f"{arm}, fewer", cell["fewer"], truth, 0.01)
        share = 1 - median(rates) / median(by_repeat.values()) if truth else 0.0
        if truth and not truth.lo - DRIFT <= share <= truth.hi + DRIFT:
            yield f"{arm}, fewer: the ratio of the medians is far from {cell['fewer'][0]}"


def rated(trials: list[Trial]) -> list[tuple[Trial, float]]:
    outside = [trial for trial in trials if trial["pass"] == "outside"]
    return [(trial, trial["values"][RATE]) for trial in outside if RATE in trial["values"]]


def of_load(shown: Table, arms: Arms, *, is_known: bool) -> Claims:
    """The table of overload: heads and caption, then its rows."""
    bends = {arm: bend for arm, own in arms.items() if (bend := around(reached(own)))}
    heads = LOAD.fullmatch(" ".join((*shown.heads, shown.units)))
    if not heads:
        if bends or shown.rows:
            yield f"overload: {shown.heads}, {shown.units}"
        return
    near, over = (1e3 * number(text) for text in heads.groups())
    yield from of_caption(shown.caption, arms, bends)
    for arm, cells in shown.rows.items():
        if len(cells) != len(shown.heads) or arm not in bends:
            yield f"overload, {arm}: no such arm, or {len(cells)} numbers"
            continue
        low, high = ends(cells[1])
        if near / 1e3 > high or over / 1e3 < low:
            yield f"overload, {arm}: delays at {near:g} and {over:g}, of a knee at {cells[1][0]}"
        yield from of_knee(arm, cells, arms[arm], is_known=is_known)
        delays = ("p50", near, 1e3), ("p99", near, 1e3), ("p50", over, 1e6)
        for cell, (name, rate, factor) in zip(cells[3:], delays, strict=True):
            truth = around(values(arms[arm].get(rate, []), f"delay_{name}_ns"))
            yield Claim(f"{arm}, {name} at {rate:g}", cell, truth, factor)


def of_caption(caption: str, arms: Arms, bends: dict[str, Truth]) -> Claims:
    """Of overload: the CPU is told of the first rate at or beyond each knee."""
    at_knee = []
    for arm, bend in bends.items():
        known = sorted(rate for rate, trials in arms[arm].items() if values(trials, RATE))
        at_knee.append(arms[arm][next((rate for rate in known if rate >= bend.value), known[-1])])
    kind = at_knee[0][0]["definition"]
    begins = "Slowed to a home router's speed" if kind["slow_to_pps"] else "More and more packets"
    if not caption.startswith(f"{begins}, {kind['frame_bytes']} bytes"):
        yield f"overload: {caption}"
    yield from busy(caption, at_knee)


def reached(own: dict[Any, list[Trial]]) -> list[float]:
    """Each repeat's knee, or its highest rate."""
    return [min(knee(curve)[0], curve[-1][0]) for curve in curves(own)]


def of_knee(arm: str, cells: list[Cell], own: dict[Any, list[Trial]], *, is_known: bool) -> Claims:
    """What passes whole, the knee, and what is kept beyond it."""
    repeats = [(curve, *knee(curve)) for curve in curves(own)]
    bend, step = around(reached(own)), max(step for _, _, step in repeats)
    is_open = 2 * sum(at == inf for _, at, _ in repeats) > len(repeats)
    most_pps = 1e3 * ends(cells[1])[1]
    if is_known and bend:
        yield Claim(f"{arm}, knee", cells[1], bend, 1e3, step)
        twice = [share for curve, at, _ in repeats if at and (share := kept_at(curve, 2 * at))]
        kept = around(twice) if 2 * len(twice) > len(repeats) and not is_open else None
        yield Claim(f"{arm}, kept", cells[2], kept, 0.01, 2 * step / bend.value)
        most_pps = bend.hi + step
    if is_open and not cells[1]["bound"]:
        yield f"{arm}: {cells[1][0]} is a knee that was not reached"
    levels = [[t for t in own[rate] if t["pass"] == "outside"] for rate in sorted(own)]
    clean = [*takewhile(lambda trials: trials and all(map(is_clean, trials)), levels)]
    rates = [median(map(tried, trials)) for trials in clean]
    whole = max((rate for rate in rates if rate <= most_pps), default=0.0)
    if (cells[0]["value"] or "0.0") != f"{whole / 1e3:.1f}":
        yield f"{arm}, no loss: {cells[0][0]}, not {whole:.6g}"
    if min(map(len, clean), default=2) < 2:
        yield f"{arm}, no loss: {cells[0][0]} {SINGLE}"
    if number(cells[0]["value"]) > ends(cells[1])[1]:
        yield f"{arm}: no loss to {cells[0][0]}, beyond the knee, {cells[1][0]}"


def same(text: str, factor: float, cell: Cell | None, other: float) -> Claims:
    """A headline's number is that of the table; where its row was cut, that is not known."""
    if cell:
        half = 0.501 * max(unit(text) * factor, unit(cell["value"] or "") * other)
        if not abs(number(text) * factor - number(cell["value"]) * other) <= half:
            yield f"headline: {text}, the table has {cell[0]}"


def of_headline(text: str, fast: tuple[Table, Arms], load: tuple[Table, Arms]) -> Claims:
    full = FAST.search(text)
    yield from of_full(full, *fast) if full else of_knees(text, *(load if load[0].rows else fast))
    if re.search(r"\d", unread := (FAST if full else SLOW).sub("", text)):
        yield f"headline, not read: {unread}"


def of_full(full: re.Match[str], shown: Table, arms: Arms) -> Claims:
    route, nat = (
        dict(zip(shown.heads, shown.rows.get(named(arms, path), []), strict=False))
        for path in ("route", "nat")
    )
    yield from same(full[1], PREFIX[full[2]], route.get(full[3]), 1e3)
    yield from same(full[4], PREFIX[full[5]], route.get(full[6]), 1e6)
    if full[7] and nat and nat["fewer"][0] != full[7]:
        yield f"headline: {full[7]} % fewer, the table has {nat['fewer'][0]}"
    if not {full[3], full[6]} <= route.keys():
        yield f"headline: {full[3]} or {full[6]} is no column"


def of_knees(text: str, shown: Table, arms: Arms) -> Claims:
    column = shown.heads.index("knee") if "knee" in shown.heads else 0
    for path, features, rate, prefix, size, wire, wire_prefix in SLOW.findall(text):
        arm = named(arms, PATHS[path], features)
        if not arm:
            yield f"headline: no arm has {path} with {features}"
        cells = shown.rows.get(arm, [])
        yield from same(rate, PREFIX[prefix], cells[column] if cells else None, 1e3)
        bits = [8 * (number(size) + 20) * PREFIX[prefix] * x for x in around_zeros(rate)]
        wires = [PREFIX[wire_prefix] * x for x in around_zeros(wire)] if size else bits
        if size and not (bits[0] <= wires[1] and wires[0] <= bits[1]):
            yield f"headline: {wire} {wire_prefix}bit/s of {rate} {prefix} packets/s"


def of_line(text: str, free: dict[str, Arms], line: list[float]) -> Claims:
    """Whether the gateway is enough for an access line: the share of both ways together."""
    asked = re.search(r"Line ([\d.]+)/([\d.]+) Mbit/s(?: through (\S+))?:", text)
    if not asked:
        return
    if [1e6 * number(asked[i]) for i in (1, 2)] != line:
        yield f"line: {asked[0]}, not {line}"
    ways = [free[way].get(named(free[way], asked[3] or ""), {}) for way in ("down", "up")]
    for own in CLAUSE.finditer(text):
        down, up = (around(values(way.get(own[2], []), WIRE)) for way in ways)
        if not down or not up:
            yield f"line: nothing of {own[2]} was sent both ways"
            continue
        n = min(down.n, up.n)
        value, lo, hi = (line[0] / down[i] + line[1] / up[i] for i in (0, 2, 1))
        answer = "enough" if hi <= 1 else "not enough" if lo > 1 else "too close to tell"
        if own[1] != answer and (own[1] != "not known" or (answer == "enough" and n > 1)):
            yield f"line: {own[1]} at {own[2]}, not {answer}"
        if own[1] != "not known" and n < 2:
            yield f"line: {own[1]} at {own[2]} {SINGLE}"
        lo, hi = (lo, hi) if n > 1 else (value, value)
        truth = Truth(1 - value, 1 - hi, 1 - lo) if own[1] == "enough" else Truth(value, lo, hi)
        yield Claim(f"line, {own[2]}", own, truth, 0.01)
