# SPDX-License-Identifier: Apache-2.0
"""What a trial takes besides sending, by phase: `python -m benchmarks.overhead PLAN [run's words]`.

The product is run as it is, in this process, with a clock around each phase; what runs at the same
time as another part is in both. The table has medians and the 90th percentile of all trials, in ms.
"""

import asyncio
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from statistics import median, quantiles
from typing import Any

from benchmarks.compare import progress
from gatemark.__main__ import main as gatemark
from gatemark.gateway.setup import Setup
from gatemark.gateway.slowdown import Slowdown
from gatemark.kind.udp.load import Stream
from gatemark.node.agent import Agent
from gatemark.node.clock import Pair
from gatemark.run import bench, measure, mixed, reading, trial, watching
from gatemark.run.bench import Bench
from gatemark.run.drain import Drain
from gatemark.station.line.line import Line
from gatemark.station.netns import Lab
from gatemark.store.directory import RunDirectory

Spans = dict[str, list[float]]  # phase -> ms, one a trial


def main() -> None:
    """Run a plan with all words given; print the table."""
    spans: Spans = defaultdict(list)
    _clock(spans)
    sys.argv = ["gatemark", "run", *sys.argv[1:]]
    try:
        gatemark()
    except SystemExit as end:
        if end.code:
            raise
    progress("")
    for phase, took in spans.items():
        late = quantiles(took, n=10)[-1] if len(took) > 1 else took[0]
        print(f"{phase:24} {median(took):8.1f} {late:8.1f} ms, {len(took)} times")


def _clock(spans: Spans) -> None:
    """Put a clock around each phase."""
    for owner, name, phase in (
        (measure, "measure", "measured, whole"),
        (trial, "run", "trial"),
        (trial, "_measure", "measurement"),
        (Bench, "prepare", "prepare"),
        (Slowdown, "set", "  slowdown"),
        (Line, "set", "  line"),
        (Setup, "change", "  setup"),
        (Lab, "meet", "  what the load needs"),
        (bench, "_settle", "  settle"),
        (trial, "_loads", "loads"),
        (Stream, "ready", "agents ready"),
        (watching, "start", "start of watching"),
        (mixed, "go", "sending and drain"),
        (Drain, "__call__", "drain"),
        (watching, "stop", "end of watching"),
        (Stream, "sent", "sent"),
        (Agent, "finish", "sink's report"),
        (Pair, "again", "clocks again"),
        (Stream, "abort", "abort"),
        (reading, "complete", "record"),
        (reading, "series", "series"),
        (RunDirectory, "keep", "keep"),
    ):
        setattr(owner, name, _timed(getattr(owner, name), phase, spans))
    made = watching.watchers

    def watchers(*words: Any) -> Any:
        all_ = made(*words)
        for name, watcher in all_.items():
            for verb in ("start", "stop"):
                setattr(watcher, verb, _timed(getattr(watcher, verb), f"  {verb} {name}", spans))
        return all_

    setattr(watching, "watchers", watchers)  # noqa: B010


def _timed(work: Callable[..., Any], phase: str, spans: Spans) -> Callable[..., Any]:
    def done(began: float) -> None:
        spans[phase].append((time.perf_counter() - began) * 1e3)

    if asyncio.iscoroutinefunction(work):

        async def later(*words: Any, **named: Any) -> Any:
            began = time.perf_counter()
            try:
                return await work(*words, **named)
            finally:
                done(began)

        return later

    def now(*words: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return work(*words, **named)
        finally:
            done(began)

    return now


if __name__ == "__main__":
    main()
