# SPDX-License-Identifier: Apache-2.0
"""The outcome of a trial of ECN: which bits came as they may, and which did not."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from gatemark.kind.ecn.load import ASKS, CE, ECT0, ECT1, NOT_ECT, Played, loads
from gatemark.kind.ecn.plan import ECN
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Definition

MAY: Final = {NOT_ECT: {NOT_ECT}, ECT1: {ECT1, CE}, ECT0: {ECT0, CE}, CE: {CE}}
CAPABLE: Final = frozenset({ECT0, ECT1})


def define(both: Definition, load: Workload) -> Definition:
    """Add what is of ECN alone."""
    del load
    return replace(both, quantity=ECN)


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """Return the values; each packet is followed by its number."""
    del spec
    return values(raw.ways[0].sender[ECN]), None


def values(played: Played) -> dict[str, float]:
    """Shares of the packets that came; a kind of which none came has none."""
    pairs = [(sent, played.came[at]) for at, sent in played.sent.items() if at in played.came]
    of = {
        "ecn_kept": [came in MAY[sent] for sent, came in pairs],
        "ecn_bleached": [came == NOT_ECT for sent, came in pairs if sent != NOT_ECT],
        "ecn_hidden": [came != CE for sent, came in pairs if sent == CE],
        "ecn_made": [came != NOT_ECT for sent, came in pairs if sent == NOT_ECT],
        "ecn_marked": [came == CE for sent, came in pairs if sent in CAPABLE],
        "ecn_lost": [at not in played.came for at in played.sent],
    }
    shares = {name: sum(each) / len(each) for name, each in of.items() if each}
    if played.flags is not None:
        shares["ecn_opened"] = float(played.flags & ASKS == ASKS)
    return {"ecn_kept": 0.0} | shares


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s that came through."""
    del values
    return len(raw.ways[0].sender[ECN].came) * 1e9 / max(1, raw.ways[0].span_ns)


KIND: Final = Kind(loads, define, outcome, delivered_pps)
