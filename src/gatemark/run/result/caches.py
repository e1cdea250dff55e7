# SPDX-License-Identifier: Apache-2.0
"""The outcome of a trial with modelled caches: events for each packet, at its rate."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from gatemark.plan.model import TrialSpec
from gatemark.probe.caches import INSTRUCTIONS, events
from gatemark.run.raw import Raw
from gatemark.store.record import Definition

UNDER_LOAD = "instructions_under_load"


def define(both: Definition, spec: TrialSpec) -> Definition:
    """The rate of a guest with modelled caches means nothing; its instructions do."""
    if not spec.gateway.devices:
        return both
    return replace(both, quantity="instructions under load", rate_layer="instructions")


def outcome(spec: TrialSpec, raw: Raw, delivered_pps: float) -> dict[str, dict[str, float]]:
    """Events by device; nothing where none was modelled. Raises InvalidTrialError."""
    sent = (*raw.ways[0].window_ns, delivered_pps)
    return events(raw.caches, spec.gateway.devices, sent)


def values(modelled: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Instructions are the same whatever the caches."""
    first = next(iter(modelled.values()), None)
    return {UNDER_LOAD: first[INSTRUCTIONS]} if first else {}


def evidence(modelled: dict[str, dict[str, float]]) -> dict[str, Any]:
    """The events, for an estimate of time."""
    return {"modelled": modelled} if modelled else {}
