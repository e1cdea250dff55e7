# SPDX-License-Identifier: Apache-2.0
"""The outcome of a restart of the gateway: how long nothing came, by RFC 6201.

    packets in a bin of the sink
      |######                          last before        first after         full again
      |######                               v                  v                   v
      |######______________________________ ##................ ##____####__########
      +------------------------------------------------------------------------------ time

- by time stamps (section 3.1.2): from the last packet before to the first one after, to within
  a bin at either end;
- by packet loss (section 3.1.1): the packets that were lost, over the rate.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from msgspec.structs import replace

from gatemark.error import InvalidTrialError
from gatemark.kind.restart.load import loads
from gatemark.kind.udp import result as udp
from gatemark.plan.model import TrialSpec, Workload
from gatemark.run.raw import Raw
from gatemark.run.result.kind import Kind
from gatemark.store.record import Accounting, Definition
from gatemark.workload.way import Way, binned

FULL: Final = 0.95  # of the offered rate
STEADY_S: Final = 0.1  # the full rate is back when it stays for so long


def define(both: Definition, load: Workload) -> Definition:
    """Return the definition of UDP, about another quantity."""
    return replace(udp.define(both, load), quantity="reset time")


def outcome(spec: TrialSpec, raw: Raw) -> tuple[dict[str, float], Accounting]:
    """Rates and loss over the whole trial, and the times of the reset."""
    values, accounting = udp.outcome(spec, raw)
    rate_pps = spec.workload.rate_pps
    times = resets(raw.ways[0], rate_pps)
    lost_s = accounting.lost / rate_pps
    kept = {name: value for name, value in values.items() if not name.startswith("delay_")}
    # When a link comes up its hosts speak: ports count packets that are nobody's test packets.
    accounting = replace(accounting, mismatch={})
    return kept | times | {"offered_pps": rate_pps, "reset_loss_s": lost_s}, accounting


def resets(way: Way, rate_pps: float) -> dict[str, float]:
    """The times, in s. Raises InvalidTrialError where the restart cannot be seen whole."""
    restarted = way.sender["restart"]
    starts, counts = binned(way, "packets")
    width_ns = starts[1] - starts[0] if len(starts) > 1 else 0
    t1_ns = int(way.sender["t1_ns"])
    seen = [
        (at, count)
        for at, count in zip(starts, counts, strict=True)
        if int(way.sender["t0_ns"]) <= at and at + width_ns <= t1_ns
    ]
    last, first = _longest_silence(seen, restarted["began_ns"] - width_ns)
    full_ns = _full_again(seen, first, rate_pps * width_ns / 1e9, width_ns)
    return {
        "reset_s": (first - last - width_ns) / 1e9,
        "reset_full_s": (full_ns - last - width_ns) / 1e9,
        "restart_s": (restarted["ended_ns"] - restarted["began_ns"]) / 1e9,
    }


def _longest_silence(seen: Sequence[tuple[int, int]], from_ns: int) -> tuple[int, int]:
    """The bins with packets on either side of the longest time without, after the restart began."""
    heard = [at for at, count in seen if count]
    before = [at for at in heard if at < from_ns]
    if not before:
        raise InvalidTrialError("nothing arrived before the restart; is the path up otherwise?")
    end_ns = seen[-1][0] + 1
    there = [before[-1], *(at for at in heard if at >= from_ns), end_ns]
    last, first = max(pairwise(there), key=lambda pair: pair[1] - pair[0])
    if first == end_ns:
        raise InvalidTrialError("nothing arrived after the restart; is the path up otherwise?")
    return last, first


def _full_again(seen: Sequence[tuple[int, int]], first_ns: int, each: float, width_ns: int) -> int:
    """When the rate came back for good: the first bin from which it is full for a while.

    Packets of one bin and the next are taken together: a sender's hiccup is made good in the next.
    """
    later = [(at, count) for at, count in seen if at >= first_ns]
    steady = max(1, round(STEADY_S * 1e9 / width_ns))
    for i in range(len(later) - steady + 1):
        if later[i][1] and sum(count for _, count in later[i : i + steady]) >= FULL * each * steady:
            return later[i][0]
    why = "the full rate did not come back within the trial: raise `duration_s`"
    raise InvalidTrialError(why)


KIND: Final = Kind(loads, define, outcome, udp.delivered_pps, udp.series)
