# SPDX-License-Identifier: Apache-2.0
"""Judge the classifier by captures of real programs, both ways, beside simpler rules and nDPI.

    python -m benchmarks.captures.judged [CAPTURES]

`kept.tar.xz` beside this file has the captures that docs/measured.md is about, `later.tar.xz` those
of programs that came after the rules were frozen.

Trained on public captures and judged here (construction); trained here and judged on the public
ones (the other way round); each application judged by trees that saw none of it.
"""

import argparse
import csv
import json
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks import classifier as public
from benchmarks.captures import rules
from benchmarks.captures.keep import COLUMNS
from gatemark.classifier import c45, manifest, recipe, shipped
from gatemark.classifier.choose import ALL, chosen, seen_by, trained
from gatemark.classifier.features import tracks
from gatemark.classifier.manifest import APART, Flow
from gatemark.classifier.recipe import LISTED, OTHER, PRIORITY, Recipe
from gatemark.classifier.score import confusion, resampled, scores
from gatemark.classifier.telling import interval, ratio
from gatemark.classifier.track import Track, Window
from gatemark.classifier.verdict import Verdict, judge, one_line
from gatemark.error import GatemarkError, UsageError

ENDS: Final = ("near", "far")
FIXED: Final = len(COLUMNS) - len(ALL)
BY_PAYLOAD: Final = frozenset(
    {"RTP", "SRTP", "RTCP", "STUN", "DTLS", "VNC", "SSH", "Telnet", "RDP"}
)
BY_NAME: Final = ("Quake", "Game", "Zoom", "WebRTC", "Mumble", "IAX", "Call", "Doom", "Teams")
# DSCP of sound, video calls and games (RFC 4594), and what is not in CAKE's best effort and bulk.
VOICE: Final = frozenset({46, 44, 40, 48, 56, 32, 34, 36, 38})
TINS: Final = VOICE | {24, 26, 28, 30, 16, 4}
MOST_WINDOWS: Final = 30  # of a flow, where trees are trained
FLOOR_PPS: Final = 5.0
CEILING_BYTES: Final = 1200

KEPT: Final = Path(__file__).with_name("kept.tar.xz")

Extra = dict[Flow, dict[str, Any]]


def read(folder: Path, end: str) -> tuple[list[Track], Extra]:
    """Return the flows that were kept, as one end saw them, and what else is known of them."""
    texts = sorted(folder.glob("*.json"))
    if not texts:
        raise UsageError(f"{folder}: no capture in it: python -m benchmarks.captures {folder}")
    kept: list[Track] = []
    extra: Extra = {}
    for path in texts:
        turn = json.loads(path.read_text(encoding="utf-8"))
        windows = _windows(path.with_suffix(".csv"), end)
        for line, row in enumerate(turn["flows"]):
            proto, near, near_port, far, far_port = row["key"].split("-")
            flow = Flow(
                path.with_suffix(""),
                *(proto, near, int(near_port), far, int(far_port)),
                row["application"],
                row["kind"],
                line,
                row["role"],
            )
            extra[flow] = row
            of = tuple(map(_relisted(flow), windows.get(row["key"], ())))
            kept.append(Track(flow, Recipe().label(flow), of, row["packets"]))
    return kept, extra


def _relisted(flow: Flow) -> Callable[[Window], Window]:
    """Return what gives a window the table of ports that is there now, not when it was kept."""
    at, listed = ALL.index(LISTED), rules.is_listed(flow.lan_port, flow.wan_port)
    return lambda w: replace(w, values=(*w.values[:at], int(listed), *w.values[at + 1 :]))


def _windows(path: Path, end: str) -> dict[str, list[Window]]:
    windows: dict[str, list[Window]] = {}
    with path.open(newline="", encoding="utf-8") as stream:
        rows = csv.reader(stream)
        if tuple(next(rows, ())) != COLUMNS:
            raise UsageError(f"{path}: not the columns of this version: capture it again")
        for name, key, packet, time_us, *values in rows:
            if name == end:
                *attributes, uplink, hint = map(int, values)
                window = Window(int(packet), int(time_us), tuple(attributes), uplink, hint)
                windows.setdefault(key, []).append(window)
    return windows


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="benchmarks.captures.judged", description=__doc__)
    parser.add_argument(
        "captures", type=Path, nargs="?", default=KEPT, help="folder or archive (kept.tar.xz)"
    )
    parser.add_argument("--data", type=Path, default=public.DATA, help="public captures")
    parser.add_argument("--quick", action="store_true", help="the model that ships alone")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="gatemark-") as unpacked:
            folder: Path = options.captures
            if folder.is_file():
                with tarfile.open(folder) as archive:
                    archive.extractall(unpacked, filter="data")
                folder = Path(unpacked)
            tables(folder, options.data, is_quick=options.quick)
    except GatemarkError as error:
        sys.stderr.write(f"benchmarks.captures.judged: {error}\n")
        sys.exit(error.exit_code)


def tables(folder: Path, data: Path, *, is_quick: bool) -> None:
    """Print all tables: scores, those apart, applications, others beside ours."""
    print(rules.sentence())
    ours, extra = read(folder, ENDS[0])
    path = shipped.path(public.NAME)
    model = c45.load(path)
    known = recipe.of(model, path)
    construction = judge(model, known, seen_by(ours, known))
    far = judge(model, known, seen_by(read(folder, ENDS[1])[0], known))
    judged = {
        "public, then here": construction,
        "the same, at the far end": far,
        "with floor and ceiling": bounded(construction, ours),
        "with packets both ways": two_ways(construction, ours),
    }
    _print("Apart, and others, given priority", apart(construction))
    _print("Applications in real time, of UDP", list(_applications(construction)))
    _print("Ours beside others, the same flows of UDP", list(beside(construction, extra)))
    if not is_quick:
        judged |= trained_here(ours, _public(data))
    rows = [row for name, each in judged.items() for row in public.score_rows(name, scores(each))]
    _print("Scores", [public.HEAD, *rows])
    _print("Macro recall: right windows over the real-time applications", _recall(judged))


def trained_here(ours: Sequence[Track], theirs: Sequence[Track]) -> dict[str, list[Verdict]]:
    """Return verdicts of trees that were trained on these captures, and on both."""
    ours = [replace(track, windows=track.windows[:MOST_WINDOWS]) for track in ours]
    return {
        "here, by application": public.nested(ours, "application"),
        "here, by capture": public.nested(ours, "capture"),
        "here, then public": trained(ours, chosen(ours), theirs),
        "both, by application": public.nested([*ours, *theirs], "application"),
    }


def _public(data: Path) -> list[Track]:
    with tempfile.TemporaryDirectory(prefix="gatemark-") as folder:
        path = Path(folder) / "flows.csv"
        public.write_manifest(data, path)
        return tracks(manifest.read(path), Recipe(attributes=ALL), public.telling("captures read"))


def bounded(verdicts: Sequence[Verdict], every: Sequence[Track]) -> list[Verdict]:
    """Return decisions with a floor of packets/s and a ceiling of mean length."""
    length = ALL.index("mean.plen")
    bounded_ = []
    for verdict, track in zip(verdicts, every, strict=True):
        decided, before_us = [], 0
        for name, window in zip(verdict.decided, track.windows, strict=True):
            span_us = window.time_us - before_us
            before_us = window.time_us
            is_sparse = span_us * FLOOR_PPS > recipe.WINDOW * 1e6
            is_long = window.values[length] > CEILING_BYTES
            decided.append(OTHER if is_sparse or is_long else name)
        bounded_.append(replace(verdict, decided=tuple(decided)))
    return bounded_


def two_ways(verdicts: Sequence[Verdict], every: Sequence[Track]) -> list[Verdict]:
    """Return decisions where a window that has packets of a single direction is never first."""
    length = ALL.index("mean.plen")
    decided = []
    for verdict, track in zip(verdicts, every, strict=True):
        rows = zip(verdict.decided, track.windows, strict=True)
        sums = ((name, w.uplink_bytes, w.values[length] * recipe.WINDOW) for name, w in rows)
        names = (name if 0 < up < total else OTHER for name, up, total in sums)
        decided.append(replace(verdict, decided=tuple(names)))
    return decided


def _recall(judged: dict[str, list[Verdict]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("split", "udp", "all")]
    for name, verdicts in judged.items():
        udp = [verdict for verdict in verdicts if verdict.track.flow.proto == "udp"]
        both = (ratio(scores(each).recall_of_applications) for each in (udp, verdicts))
        rows.append((name, *both))
    return rows


def apart(verdicts: Sequence[Verdict]) -> list[tuple[str, ...]]:
    """Return, by application, how many flows that are not media were given priority."""
    groups: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        flow = verdict.track.flow
        if verdict.label == OTHER and flow.proto == "udp":
            role = flow.role if flow.role in APART else flow.label
            groups.setdefault((role, flow.application), []).append(verdict)
    rows = [("of", "application", "flows", "given priority", "by one line", "windows")]
    sums: dict[str, list[int]] = {}
    for (role, name), group in sorted(groups.items()):
        first = sum(verdict.majority == PRIORITY for verdict in group)
        line = sum(one_line(verdict.track.flow) == PRIORITY for verdict in group)
        windows = [given == PRIORITY for verdict in group for given in verdict.decided]
        share = f"{sum(windows) / max(1, len(windows)):.0%} of {len(windows)}"
        rows.append((role, name, str(len(group)), str(first), str(line), share))
        row = sums.setdefault(role, [0, 0, 0])
        for at, value in enumerate((len(group), first, line)):
            row[at] += value
    return [*rows, *((role, "all", *map(str, row), "") for role, row in sorted(sums.items()))]


def _applications(verdicts: Sequence[Verdict]) -> Iterator[tuple[str, ...]]:
    yield ("application", "flows", "right flows", "windows", "right windows")
    udp = [verdict for verdict in verdicts if verdict.track.flow.proto == "udp"]
    for each in scores(udp).applications:
        if each.label == PRIORITY:
            shares = (f"{each.right_flows:.2f}", str(each.windows), f"{each.right_windows:.2f}")
            yield (each.name, str(each.flows), *shares)


def beside(verdicts: Sequence[Verdict], extra: Extra) -> Iterator[tuple[str, ...]]:
    """Yield F1, precision and recall of each way to say which flow is first."""
    scored = [
        verdict
        for verdict in verdicts
        if verdict.track.flow.proto == "udp" and verdict.track.counts
    ]
    ways: dict[str, Callable[[Verdict], bool]] = {
        "ours": lambda v: v.majority == PRIORITY,
        "one line": lambda v: one_line(v.track.flow) == PRIORITY,
        "nDPI": lambda v: is_first(str(extra[v.track.flow].get("ndpi", ""))),
        "DSCP": lambda v: extra[v.track.flow].get("dscp", 0) in VOICE,
        "CAKE's tins": lambda v: extra[v.track.flow].get("dscp", 0) in TINS,
    }
    inspected = [verdict for verdict in scored if "ndpi" in extra[verdict.track.flow]]
    yield ("by", "flows", "F1", "95 %", "precision", "recall")
    for name, says in ways.items():
        given = [replace(v, decided=(PRIORITY if says(v) else OTHER,)) for v in inspected]
        counts = confusion((v.label, v.majority) for v in given)
        draws = sorted(f1 for f1, _ in resampled(given, 1000))
        bounds = (draws[25], draws[-26]) if draws else (0.0, 0.0)
        values = (ratio(counts.f1(PRIORITY)), interval(bounds))
        shares = (ratio(counts.precision(PRIORITY)), ratio(counts.recall(PRIORITY)))
        yield (name, str(len(given)), *values, *shares)


def is_first(name: str) -> bool:
    """Return whether nDPI's name of a flow is of sound, video calls, games or desktops."""
    return bool(BY_PAYLOAD & set(name.split("."))) or any(word in name for word in BY_NAME)


def _print(title: str, lines: Sequence[Sequence[str]]) -> None:
    print(f"\n{title}\n")
    public.columns(lines)


if __name__ == "__main__":
    main()
