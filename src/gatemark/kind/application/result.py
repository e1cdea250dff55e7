# SPDX-License-Identifier: Apache-2.0
"""The outcome of an application: its figures, and whether this machine was fast enough for it.

A trial in which a timer came late, or a process waited for a CPU, is invalid: it tells nothing of
the path. Figures are of a program's own report, of a call those of its packets at both ends.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from gatemark.classifier.manifest import MEDIA, REAL_TIME
from gatemark.error import TOO_SLOW, InvalidTrialError
from gatemark.judge.math.emodel import PACKET_MS, Delays, Playout, best_playout, mos
from gatemark.judge.math.nearest import percentile
from gatemark.kind.application.application import Application
from gatemark.kind.application.browsers import MADE_MS, browsers
from gatemark.kind.application.feel import felt
from gatemark.kind.application.load import loads
from gatemark.kind.application.programs import APPLICATIONS
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Evidences, Kind, Label
from gatemark.store.record import Definition, Scalar
from gatemark.store.series import Series
from gatemark.workload.way import Report, Way

LATE_NS: Final = 20e6  # of a timer of 20 ms, in 99 of 100 times
LATE_MOST_NS: Final = 100e6  # of any
ROBBED: Final = 0.05  # of the time, for which no thread of an end may wait for strangers
ROBBED_BOTH: Final = 0.2  # where the clean way, which is as much robbed, is what it is judged by
LIVE_NS: Final = 120e6  # of a live video, from sending to coming
SETUP: Final = "setup"  # class and role of flows that carry nothing themselves
DNS_PORT: Final = 53  # where a browser asks for hosts by itself
RTP: Final = "rtp"
HALF: Final = 1 << 15  # of the numbers of RTP
NUMBERED: Final = (RTP, "live")  # reports of packets at both ends' ports
SHARES: Final = {"p50": 0.5, "p95": 0.95}

Packets = Sequence[tuple[int, int, int]]  # source, number, time in ns


def define(both: Definition, load: Workload) -> Definition:
    """Add which application it is."""
    application = APPLICATIONS[load.application]
    about = application.about
    return replace(both, application=load.application, quantity=about, rate_layer="")


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], None]:
    """The figures. Raises InvalidTrialError where this machine was too slow to tell."""
    way = raw.ways[0]
    if why := too_slow(way, APPLICATIONS[spec.workload.application]):
        raise InvalidTrialError(f"{TOO_SLOW}: {why}")
    return dict(_figures(way)), None


def too_slow(way: Way, application: Application) -> str:
    """Return what tells that an end did not get the CPU that it needed; "" where nothing does.

    Both ends may have one CPU, and wait for each other and for themselves, as long as the
    application says; for all others none may wait longer than ROBBED. What both used at most is
    taken off, so this blames no machine that was fast enough. A server on the gateway has the
    gateway's CPU, which is what is measured.
    """
    ends = {"LAN host": way.sender} | ({} if way.wire.own else {"WAN host": way.sink})
    for host, end in ends.items():
        watch = end["watch"]
        if watch["late_p99_ns"] > LATE_NS or watch["late_most_ns"] > LATE_MOST_NS:
            p99, most = (watch[f"late_{name}_ns"] / 1e6 for name in ("p99", "most"))
            return f"a timer on the {host} came up to {most:.0f} ms late (p99 {p99:.0f} ms)"
        if watch["wait_share"] > application.waits:
            share = 100 * watch["wait_share"]
            return f"{watch['waiter']} on the {host} waited {share:.0f} % of the time for a CPU"
    used_ns = sum(end["watch"]["cpu_ns"] for end in ends.values())
    for host, end in ends.items():
        watch = end["watch"]
        share = (watch["robbed_ns"] - (used_ns - watch["cpu_ns"])) / max(1, way.span_ns)
        if share > (ROBBED_BOTH if application.qualities[0].of_clean else ROBBED):
            percent = f"{100 * share:.0f} %"
            return f"the {host} waited {percent} of the time for a CPU that other programs had"
    return ""


def _figures(way: Way) -> Iterator[tuple[str, float]]:
    """Yield the values of both ends: their own, percentiles of samples, a call of RTP."""
    for seen in _reports(way):
        yield from seen.get("values", {}).items()
        for name, samples in seen.get("samples", {}).items():
            for share, at in SHARES.items() if samples else ():
                yield f"{name}_{share}_ns", percentile(samples, at)
    near, far = _reports(way)
    if "rtp" in near:
        yield from call(way.window_ns, near["rtp"], far["rtp"]).items()
    if "live" in near:
        yield "video_late_share", late(way.window_ns, near["live"]["sent"], far["live"]["came"])
    if "sound" in near:
        yield from browsers(way.window_ns, near, far).items()
    if "game" in near:
        yield from felt(way.window_ns, near, far).items()


def call(window_ns: tuple[int, int], near: Report, far: Report) -> dict[str, float]:
    """Return what a call is worth in its worse direction: by the packets sent in a time.

    `near` and `far` are what the ports of both ends saw: `sent` and `came`.
    """
    ways = {
        "up": delays(window_ns, near["sent"], far["came"]),
        "down": delays(window_ns, far["sent"], near["came"]),
    }
    heard = {way: best_playout(flows) for way, flows in ways.items()}
    if not all(flows for flows in ways.values()):
        raise InvalidTrialError("the call was one-sided: an end sent nothing")
    worst = min(ways, key=lambda way: rating(heard[way]))
    sent = [delay for flow in ways[worst] for delay in flow]
    values = {"call_mos": mos(rating(heard[worst])), "call_lost_share": lost_share(sent)}
    if playouts := [each.delay_ns for each in heard.values() if each]:
        values["call_ear_ns"] = max(playouts) + MADE_MS * 1e6
    if came := [delay for delay in sent if delay is not None]:
        values |= {f"call_delay_{name}_ns": percentile(came, at) for name, at in SHARES.items()}
    return values


def late(window_ns: tuple[int, int], sent: Packets, came: Packets) -> float:
    """Return the share of packets that came later than LIVE_NS, or never; sent again is the same.

    Raises InvalidTrialError where none was sent.
    """
    every = [delay for flow in delays(window_ns, sent, came) for delay in flow]
    if not every:
        raise InvalidTrialError("no video was sent")
    return sum(delay is None or delay > LIVE_NS for delay in every) / len(every)


def rating(playout: Playout | None) -> float:
    """Return R of the best that a listener can make of it; 0 of nothing."""
    return playout.rating if playout else 0.0


def lost_share(sent: Delays) -> float:
    """Return the share that never came."""
    return sum(delay is None for delay in sent) / len(sent)


def delays(window_ns: tuple[int, int], sent: Packets, came: Packets) -> list[Delays]:
    """Return each source's delays in ns, in the order of sending; None: it never came.

    A packet that is sent again is the same one, and late since it was sent first.
    """
    first_ns, last_ns = window_ns
    arrived = _first(came)
    flows: dict[int, list[float | None]] = {}
    for (origin, number), at in _first(sent).items():
        if first_ns <= at <= last_ns:
            end_ns = arrived.get((origin, number))
            flows.setdefault(origin, []).append(None if end_ns is None else float(end_ns - at))
    return [*flows.values()]


def _first(packets: Packets) -> dict[tuple[int, int], int]:
    """The first time of each packet."""
    times: dict[tuple[int, int], int] = {}
    for origin, number, at in packets:
        times.setdefault((origin, number), at)
    return times


def evidence(raw: Raw) -> Evidences:
    """Return how late timers were, how long threads waited, the books of numbered packets.

    And the programs' own words.
    """
    way = raw.ways[0]
    seen: dict[str, Scalar] = {}
    for host, end in {"lan": way.sender, "wan": way.sink}.items():
        seen |= {f"{host}_{name}": value for name, value in end["watch"].items()}
        seen |= {f"{host} {name}": value for name, value in end["seen"].get("words", {}).items()}
    near, far = _reports(way)
    for name in NUMBERED:
        if name in near:
            for direction, (sender, sink) in {"up": (near, far), "down": (far, near)}.items():
                packets = sender[name]["sent"], sink[name]["came"]
                counts: dict[str, Scalar] = {**books(way.window_ns, *packets)}
                if name == RTP:
                    counts["jitter_ms"] = jitter_ns(way.window_ns, *packets) / 1e6
                seen |= {f"{direction}_{word}": count for word, count in counts.items()}
    return {"application": seen}


def books(window_ns: tuple[int, int], sent: Packets, came: Packets) -> dict[str, int]:
    """Return what a capture can be held against: packets sent in a time and lost, by number.

    `first` and `last` are the numbers that were sent first and last; nothing where none was.
    """
    (first_ns, last_ns), times = window_ns, _first(sent)
    counted = [key for key, at in times.items() if first_ns <= at <= last_ns]
    if not counted:
        return {}
    ends = {"first": counted[0][1], "last": counted[-1][1]}
    return {"sent": len(counted), "lost": len({*counted} - {*_first(came)}), **ends}


def jitter_ns(window_ns: tuple[int, int], sent: Packets, came: Packets) -> float:
    """Return the jitter of RFC 3550 (appendix A.8) behind the last of the packets sent in a time.

    Each has 20 ms of sound, so its number tells when it was due.
    """
    first_ns, last_ns = window_ns
    counted = {key for key, at in _first(sent).items() if first_ns <= at <= last_ns}
    jitter, before = 0.0, None
    for origin, number, at in came:
        if (origin, number) not in counted:
            continue
        if before is not None:
            packets = (number - before[0] + HALF) % (2 * HALF) - HALF
            moved = abs(at - before[1] - packets * PACKET_MS * 1e6)
            jitter += (moved - jitter) / 16
        before = number, at
    return jitter


def delivered_pps(raw: Raw, values: Mapping[str, float]) -> float:
    """Packets/s that came in at both ends' ports while it was judged."""
    del values
    way = raw.ways[0]
    return float(sum(end["watch"]["rx_pps"] for end in (way.sender, way.sink)))


def series(way: Way) -> Series:
    """Yield each sample in its order: `letter.up.ns`."""
    columns: dict[str, Any] = {}
    for seen in _reports(way):
        for name, samples in seen.get("samples", {}).items():
            columns[f"{name}.{way.wire.direction}.ns"] = [*range(len(samples))], samples
    return columns


def _reports(way: Way) -> tuple[Report, Report]:
    return way.sender["seen"], way.sink["seen"]


def label(name: str, spec: TrialSpec, proto: str, far_port: int) -> Label:
    """Return its class, or that a flow only sets it up, as a name that it looks up does."""
    del name, proto
    application = APPLICATIONS[spec.workload.application]
    is_asked_besides = far_port == DNS_PORT and application.label != "dns"
    if far_port in application.setup or is_asked_besides:
        return Label(application.name, SETUP, SETUP)
    role = MEDIA if application.label in REAL_TIME else "other"
    return Label(application.name, application.label, role)


KIND: Final = Kind(loads, define, outcome, delivered_pps, series, evidence, label=label)
