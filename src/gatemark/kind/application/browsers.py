# SPDX-License-Identifier: Apache-2.0
"""The worth of a call between two browsers, by what each says (rtc.py) and its packets.

Of delay a browser knows too little: that is of packets, which both ports saw.
"""

from collections.abc import Mapping, Sequence
from math import prod
from statistics import median
from typing import Any, Final

from gatemark.error import TOO_SLOW, InvalidTrialError
from gatemark.judge.math.emodel import PACKET_MS, mos, rating
from gatemark.judge.math.nearest import percentile
from gatemark.kind.application.rtc import PICTURE, SENT, SOUND

MADE_MS: Final = PACKET_MS + 6.5  # a packet is filled; Opus looks ahead (RFC 6716)
SPARE_S: Final = 0.2  # of sound that a browser keeps beyond what its packets ask for

Report = dict[str, Any]
Leg = tuple[int, list[float]]  # packets sent, delays in ns of those that came


def browsers(window_ns: tuple[int, int], near: Report, far: Report) -> dict[str, float]:
    """Return the figures of the worse of both ends: its ears, and its eyes.

    A far end that counts nothing hands on what it gets: the near one hears and sees itself. Raises
    InvalidTrialError where this machine was too slow.
    """
    up, down = leg(window_ns, near, far), leg(window_ns, far, near)
    span_ns = window_ns[1] - window_ns[0]
    if "counts" in far:
        require_needed(near, spread_ns(far, near))
        require_needed(far, spread_ns(near, far))
        ways = [heard([down], near, span_ns), heard([up], far, span_ns)]
        eyes = [watched(far, near), watched(near, far)]
    else:
        require_needed(near, spread_ns(near, far) + spread_ns(far, near))
        ways = [heard([up, down], near, span_ns)]
        eyes = [watched(near, near)]
    worse = min(ways, key=lambda way: way["call_mos"])
    return worse | {
        "call_ear_ns": max(way["call_ear_ns"] for way in ways),
        "call_frames_share": min(frames for frames, _ in eyes),
        "call_frozen_share": min(1.0, max(frozen for _, frozen in eyes) / (span_ns / 1e9)),
    }


def leg(window_ns: tuple[int, int], sender: Report, receiver: Report) -> Leg:
    """Return how many packets were sent, and the delays of those that came.

    Raises InvalidTrialError where nothing was said.
    """
    first_ns, last_ns = window_ns
    came = {(flow, number): at for flow, number, at in receiver["sound"]["came"]}
    sent = [each for each in sender["sound"]["sent"] if first_ns <= each[2] <= last_ns]
    if not sent:
        raise InvalidTrialError("the call was one-sided: an end sent nothing")
    return len(sent), [float(came[flow, n] - at) for flow, n, at in sent if (flow, n) in came]


def spread_ns(sender: Report, receiver: Report) -> int:
    """Return by how much delays of sound differed since the call began."""
    came = {(flow, number): at for flow, number, at in receiver["sound"]["came"]}
    sent = sender["sound"]["sent"]
    delays = [came[flow, n] - at for flow, n, at in sent if (flow, n) in came]
    return max(delays) - min(delays) if delays else 0


def require_needed(receiver: Report, spread: int) -> None:
    """Raise InvalidTrialError where a browser keeps far more sound than its packets ask for.

    It does where it had no CPU in time, which timers beside it need not see.
    """
    kept_s = buffer_s(receiver)
    if kept_s > spread / 1e9 + SPARE_S:
        packets = f"packets that came within {spread / 1e6:.0f} ms of each other"
        raise InvalidTrialError(
            f"{TOO_SLOW}: a browser kept sound for {kept_s * 1e3:.0f} ms, of {packets}"
        )


def buffer_s(receiver: Report) -> float:
    """Return for how many seconds a browser keeps sound before it plays it."""
    counts = receiver["counts"]
    return _share(counts, f"{SOUND} jitterBufferDelay", f"{SOUND} jitterBufferEmittedCount")


def heard(legs: Sequence[Leg], receiver: Report, span_ns: int) -> dict[str, float]:
    """Return the worth of the sound that comes over some legs, and what it is of."""
    if not all(delays for _, delays in legs):
        return {"call_mos": 1.0, "call_lost_share": 1.0, "call_ear_ns": float(span_ns)}
    counts = receiver["counts"]
    ear_ms = sum(median(delays) for _, delays in legs) / 1e6 + buffer_s(receiver) * 1e3 + MADE_MS
    silent = counts.get(f"{SOUND} silentConcealedSamples", 0)
    made_up = counts.get(f"{SOUND} concealedSamples", 0) - silent
    played = counts.get(f"{SOUND} totalSamplesReceived", 0) - silent
    return {
        "call_mos": mos(rating(ear_ms, made_up / played if played else 1.0)),
        "call_ear_ns": ear_ms * 1e6,
        "call_lost_share": 1 - prod(len(delays) / sent for sent, delays in legs),
        "call_delay_p50_ns": sum(percentile(delays, 0.5) for _, delays in legs),
        "call_delay_p95_ns": sum(percentile(delays, 0.95) for _, delays in legs),
    }


def watched(sender: Report, receiver: Report) -> tuple[float, float]:
    """Return the share of pictures that were shown, and for how many seconds one stood still."""
    counts = receiver["counts"]
    shown = counts.get(f"{PICTURE} framesDecoded", 0) - counts.get(f"{PICTURE} framesDropped", 0)
    sent = sender["counts"].get(f"{SENT} framesSent", 0)
    return (
        min(1.0, shown / sent) if sent else 0.0,
        counts.get(f"{PICTURE} totalFreezesDuration", 0.0),
    )


def _share(counts: Mapping[str, float], part: str, whole: str) -> float:
    return counts.get(part, 0.0) / counts[whole] if counts.get(whole) else 0.0
