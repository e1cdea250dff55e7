# SPDX-License-Identifier: Apache-2.0
"""Does a tree find real-time flows better than one line that looks at protocol and port?

Trained and judged by labelled captures, whole captures or whole applications held out. What is held
out has no say in how the others are trained: each fold chooses its recipe by an inner split of its
own flows, by application. With `--write` the model that ships is trained on all of them, and its
card written.
"""

import argparse
import csv
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from ipaddress import ip_address, ip_network
from pathlib import Path
from textwrap import wrap

from benchmarks.compare import Comparison, compare, progress, show
from gatemark.classifier import c45, manifest, shipped
from gatemark.classifier.calibrate import Reliability, calibrated, reliability
from gatemark.classifier.choose import ALL, chosen, seen_by, trained
from gatemark.classifier.features import Advance, tracks
from gatemark.classifier.recipe import OTHER, PRIORITY, Recipe
from gatemark.classifier.score import Scores, scores
from gatemark.classifier.split import FOLDS, folds, groups
from gatemark.classifier.telling import gain, interval, ratio, sentences
from gatemark.classifier.track import Track
from gatemark.classifier.train import digest, provenance, train
from gatemark.classifier.verdict import Verdict
from gatemark.error import GatemarkError, UsageError

NAME = "real-time"
ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "traffic"
NOBODY = ip_network("240.0.0.0/4")
CLIENT = ip_network("10.1.0.0/16")  # the LAN of the captures made in namespaces
HEAD = (
    *("split", "flows", "number", "applications", "F1", "95 %", "precision", "recall"),
    *("F1 of one line", "gain", "95 %"),
)
ROLES = Path(__file__).with_name("roles.csv")
FLOW_COLUMNS = ("file", "proto", "src", "sport", "dst", "dport")
LAB = re.compile(r"lab_([a-z_]+?)(_[a-z]+\d+)*\.pcap")


def write_manifest(data: Path, path: Path) -> None:
    """A manifest of the labelled captures, which are checked by their digests.

    The captures are found by a link beside it, so that it is the same wherever they are.
    """
    require(data)
    link = path.parent / "pcap"
    if not link.exists():
        link.symlink_to((data / "pcap").resolve())
    with path.open("w", newline="", encoding="utf-8") as stream:
        table_ = csv.writer(stream, lineterminator="\n")
        table_.writerow((*manifest.COLUMNS, manifest.ROLE))
        table_.writerows(rows(data))


def require(data: Path) -> None:
    """UsageError where a capture is not what the labels are of."""
    listing = data / "files.csv"
    if not listing.is_file():
        raise UsageError(f"{listing}: not there: name the folder of labelled captures by --data")
    with listing.open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if digest(data / "pcap" / row["file"]) != row["sha256"]:
                raise UsageError(f"{row['file']}: not the capture that {listing} lists")


def rows(data: Path) -> list[Sequence[str]]:
    """Each flow once, its side of the LAN first.

    A flow that was labelled twice, since it paused, is kept if both labels agree. Those of
    `roles.csv` have the application, class and role that its reasons give them.
    """
    kept: dict[tuple[str, ...], tuple[str, str]] = {}
    twice = set()
    corrected = corrections()
    with (data / "flows.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if is_nowhere(row["src"], row["dst"]):
                continue
            ends = [(row["src"], row["sport"]), (row["dst"], row["dport"])]
            if is_mirrored(*(address for address, _ in ends), is_lab=row["dpi_label"] == "lab"):
                ends.reverse()
            named = corrected.get(tuple(row[name] for name in FLOW_COLUMNS), row)
            role = named.get(manifest.ROLE, "")
            key = (f"pcap/{row['file']}", row["proto"], *ends[0], *ends[1], application(named))
            if kept.setdefault(key, (named["class"], role)) != (named["class"], role):
                twice.add(key)
    return [(*key, *kinds) for key, kinds in kept.items() if key not in twice]


def corrections() -> dict[tuple[str, ...], dict[str, str]]:
    """Flows whose label was wrong, each with a reason, by what names them in `flows.csv`."""
    with ROLES.open(newline="", encoding="utf-8") as stream:
        return {tuple(row[name] for name in FLOW_COLUMNS): row for row in csv.DictReader(stream)}


def is_nowhere(source: str, target: str) -> bool:
    """Return whether a flow never passes a gateway: within a host, or of an address of none."""
    ends = (source, target)
    return source == target or any(ip_address(end) in NOBODY for end in ends)


def application(row: dict[str, str]) -> str:
    """What nDPI calls it, without the protocol below; of our own captures the program."""
    if "application" in row:
        return row["application"]
    if row["dpi_label"] == "lab":
        match = LAB.match(row["file"])
        assert match
        return match[1]
    return row["dpi_label"].rpartition(".")[2]


def is_mirrored(source: str, target: str, *, is_lab: bool) -> bool:
    """Whether the target is in the LAN: it alone has a private address."""
    if is_lab:
        return ip_address(source) not in CLIENT
    private = [ip_address(address).is_private for address in (source, target)]
    return private == [False, True]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of labelled captures")
    parser.add_argument("--manifest", type=Path, help="write the manifest there, and end")
    parser.add_argument("--json", action="store_true", help="a JSON object a line")
    parser.add_argument("--write", action="store_true", help="renew the model that ships")
    options = parser.parse_args()
    try:
        if options.manifest:
            write_manifest(options.data, options.manifest)
        else:
            judge_all(options.data, json_=options.json, write=options.write)
    except GatemarkError as error:
        sys.exit(f"benchmarks.classifier: {error}")


def judge_all(data: Path, *, json_: bool, write: bool) -> None:
    """Scores of held-out captures and applications; the model and its card where asked for."""
    with tempfile.TemporaryDirectory(prefix="gatemark-") as folder:
        path = Path(folder) / "flows.csv"
        write_manifest(data, path)
        flows = tracks(manifest.read(path), Recipe(attributes=ALL), telling("captures read"))
        verdicts = {by: nested(flows, by) for by in ("capture", "application")}
        results = {by: scores(judged) for by, judged in verdicts.items()}
        progress("")
        show([row for by, result in results.items() for row in compared(by, result)], json_=json_)
        if not json_:
            for by, result in results.items():
                columns([HEAD, *score_rows(by, result)])
                sys.stdout.writelines(f"{line}\n" for line in sentences(result))
        if write:
            recipe = chosen(flows)
            flows = seen_by(flows, recipe)
            model = calibrated(train(flows, recipe), verdicts["application"])
            model = replace(model, header={**model.header, **provenance(flows, path)})
            place = shipped.path(NAME)
            place.write_text(c45.write(model), encoding="utf-8")
            text = card(flows, recipe, results, reliability(verdicts["application"]))
            shipped.card(NAME).write_text(text, encoding="utf-8")


def nested(flows: Sequence[Track], by: str) -> list[Verdict]:
    """Every flow, judged by a tree whose recipe and thresholds come from other flows alone."""
    parts = folds(flows, by) if by == "capture" else list(groups(flows, FOLDS))
    advance = telling(f"trees, by {by}")
    verdicts: list[Verdict] = []
    for at, fold in enumerate(parts):
        advance(at, len(parts))
        verdicts += trained(fold.train, chosen(fold.train), fold.judge)
    return verdicts


def columns(lines: Sequence[Sequence[str]]) -> None:
    """A table on a terminal."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


def telling(what: str) -> Advance:
    """On a terminal all the time, elsewhere as it begins."""

    def advance(done: int, total: int) -> None:
        if not done or sys.stderr.isatty():
            progress(f"{what}: {done} of {total}")

    return advance


def compared(by: str, result: Scores) -> Iterator[Comparison]:
    """The tree's F1 and the one line's, on the same flows."""
    for beside in result.beside:
        flows = beside.flows if beside.flows == "all" else beside.flows.upper()
        least = f", {beside.least_packets} packets or more" if beside.least_packets else ""
        ours, theirs = (c.f1(PRIORITY) or 0.0 for c in (beside.tree, beside.baseline))
        yield compare(f"{flows}{least}, by {by}", [ours], "one line", [theirs], "F1")


def card(
    flows: Sequence[Track],
    recipe: Recipe,
    results: Mapping[str, Scores],
    reliabilities: Sequence[Reliability],
) -> str:
    """What the model was trained on, how well such a tree does, what it gets wrong."""
    bounds = recipe.bounds
    unseen = results["application"]
    lines = [
        "# The model `real-time`: real time or not",
        "",
        *prose(
            "This decision tree ships with Gatemark (`real-time.c45`, beside this card).",
            "`python -m benchmarks.classifier --write` wrote both of them.",
            "[docs/classifier.md](../../../../docs/classifier.md) explains the terms.",
        ),
        "## What it is for",
        "",
        *prose(
            "It finds UDP flows in real time: calls, conferences, games, remote desktops.",
            "TCP never gets priority. Games and calls are not told apart.",
        ),
        "## Data",
        "",
        *table(("class", "flows", "applications"), class_rows(flows)),
        "",
        *prose(
            "The flows are from nDPI's test captures, labelled by nDPI 4.11, and from captures",
            "made in network namespaces. The model's header has their digests. `roles.csv` in",
            "benchmarks corrects labels, each with its reason. Set-up (keys, relays, signalling)",
            "and tunnels are neither trained on nor scored: they stand apart below. Many captures",
            "end after a flow's first packets.",
        ),
        *prose(
            f"A window is {recipe.window} packets, jumping; the attributes are",
            f"`{' '.join(recipe.attributes)}`. The tree has a depth of at most {bounds.depth}, at",
            f"most {bounds.leaves} leaves, and {bounds.least:g} flows of average weight or more in",
            "a leaf. What payloads begin with goes before it (classifier/core/feature/header.h).",
        ),
        "## Scores",
        "",
        *prose(
            "Each flow was judged by a tree that had not seen its capture (ten folds), or neither",
            "its application nor any capture with it. Each fold chose its recipe, too: the",
            "simplest of four within one standard error of the best. The four, and the rules for",
            "headers,",
            "are the best of some sixty combinations that were tried on the same captures: these",
            "scores flatter. Precision, recall and F1 are of the class `realtime`. The one line:",
            "UDP, and port not in 443, 53, 5353, 1900. Intervals are of a bootstrap over",
            "applications.",
        ),
        *table(HEAD, merged([(by, [*score_rows(by, r)]) for by, r in results.items()])),
        "",
        *table(
            ("split", "role", "flows", "given priority", "by one line"),
            [
                ("application", a.role, str(a.flows), str(a.favoured), str(a.by_one_line))
                for a in results["application"].apart
            ],
        ),
        "",
        *prose(
            "Confidence is the share of right windows among applications that were held out, each",
            "of the same weight. Below, half of the applications say it and the other half shows",
            "what it was worth, both ways:",
        ),
        *table(
            ("by", "given", "confidence", "applications", "right"),
            [
                (f"`{r.way}`", r.given, f"{r.percent} %", str(r.applications), f"{r.right:.2f}")
                for r in reliabilities
            ],
        ),
        "",
    ]
    for by, result in results.items():
        lines += by_split(by, result)
    lines += [
        "## What it gets wrong",
        "",
        *prose(
            "It never finds remote desktops and ssh over TCP. What no header names is bulk where",
            "its packets are even, as a call near its sender is; where they are uneven, a slow",
            "transfer has priority until the guard takes it away. Reports that go one way to a",
            "port that is in no table go first, and so may streams. No split here reaches what",
            "flows of real programs ask for: [what was",
            "tried](../../../../docs/classifier.md#real-programs-by-construction).",
        ),
        *prose(
            "Of these applications, which are not real time, a tenth of the windows or more got",
            "priority where the tree had not seen the application:",
        ),
        *table(("application", "flows", "windows with priority"), wrong_rows(unseen)),
        "",
    ]
    return "\n".join(lines)


def prose(*sentences_: str) -> list[str]:
    """A paragraph, and the empty line behind it."""
    return [*wrap(" ".join(sentences_), 100, break_on_hyphens=False), ""]


def by_split(by: str, result: Scores) -> Iterator[str]:
    yield from (f"### By {by}", "")
    yield from prose(*sentences(result))
    if by != "application":
        return  # what was unseen says more
    uplink = [f"{u.name} {u.ratio:.1%} of {u.bytes_:,}" for u in result.uplink]
    yield from prose(f"Uplink bytes with priority, not real time: {', '.join(uplink)}.")
    applications = [
        f"{a.name} {a.right_windows:.2f} of {a.windows}"
        for a in result.applications
        if a.label == PRIORITY
    ]
    yield from prose(f"Right windows of real-time applications: {', '.join(applications)}.")


def class_rows(flows: Sequence[Track]) -> Sequence[tuple[str, ...]]:
    rows = []
    for label in (PRIORITY, OTHER):
        counted = [track.flow for track in flows if track.label == label and track.counts]
        for name in sorted({flow.label for flow in counted}):
            group = [flow for flow in counted if flow.label == name]
            count = len({flow.application for flow in group})
            rows.append((f"{label}: {name}", str(len(group)), str(count)))
    return rows


def merged(splits: Sequence[tuple[str, Sequence[tuple[str, ...]]]]) -> list[tuple[str, ...]]:
    """Return the rows of all splits, equal ones once, with the names of their splits."""
    names: dict[tuple[str, ...], list[str]] = {}
    for by, rows in splits:
        for row in rows:
            names.setdefault(row[1:], []).append(by)
    return [(", ".join(by), *row) for row, by in names.items()]


def score_rows(by: str, result: Scores) -> Iterator[tuple[str, ...]]:
    for beside in result.beside:
        flows = "all" if beside.flows == "all" else beside.flows.upper()
        least = f", {beside.least_packets} packets or more" if beside.least_packets else ""
        tree = beside.tree
        yield (
            by,
            f"{flows}{least}",
            str(sum(tree.counts.values())),
            str(beside.applications),
            ratio(tree.f1(PRIORITY)),
            interval(beside.f1),
            ratio(tree.precision(PRIORITY)),
            ratio(tree.recall(PRIORITY)),
            ratio(beside.baseline.f1(PRIORITY)),
            gain(beside),
            interval(beside.gain),
        )


def wrong_rows(unseen: Scores) -> Sequence[tuple[str, ...]]:
    """Applications of which a tenth of the windows or more got priority, unseen."""
    wrong = [a for a in unseen.applications if a.label == OTHER and a.right_windows <= 0.9]
    wrong.sort(key=lambda a: (a.right_windows, a.name))
    return [(a.name, str(a.flows), f"{1 - a.right_windows:.0%} of {a.windows}") for a in wrong]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *rows)]


if __name__ == "__main__":
    main()
