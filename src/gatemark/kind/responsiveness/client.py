# SPDX-License-Identifier: Apache-2.0
"""The client of a responsiveness test: idle probes first, then load and probes until it is stable.

Before all it asks the server where the objects of the test are. It runs on the LAN host. Asked for
(one line of JSON): `address`, `port`, `family` (4, 6), `tls` with `certificate` (PEM; it trusts
this alone), `ways` (up, down), `interval_ms`, `capacity_bps` (of the way; 0: not known),
`congestion`, `dscp`, `seed`, `cpu`, `tick_ms` (0: none); `most` connections each way, where it is
not the draft's.

Reports, times by CLOCK_MONOTONIC: `t0_ns`, `t1_ns` (of the load), `window_ns` (where the last
window begins), `cpu_ns` (from t0 on), `rate` (bytes that came, in bins), `intervals` (columns),
`idle` and `loaded` (each: `foreign`, `self`, `tried`, `failed`), `course`, `version`, `cipher`,
`mss_bytes`, `reopened` (load connections that a full queue kept from opening).
"""

import errno
import os
import time
from collections.abc import Callable
from typing import Final

from gatemark.kind.responsiveness import job, tls
from gatemark.kind.responsiveness.bins import Bins
from gatemark.kind.responsiveness.burden import Burden
from gatemark.kind.responsiveness.channel import ClosedError
from gatemark.kind.responsiveness.dial import Target
from gatemark.kind.responsiveness.discovery import Discovery
from gatemark.kind.responsiveness.draft import INP, LATE_S, MNP
from gatemark.kind.responsiveness.idle import Idle
from gatemark.kind.responsiveness.loop import Loop
from gatemark.kind.responsiveness.probe import Waiting
from gatemark.kind.responsiveness.sockets import caller
from gatemark.kind.responsiveness.where import OddError, Places
from gatemark.kind.responsiveness.working import Terms, Working
from gatemark.workload import talk

STEP_NS: Final = 100_000_000  # late probes are looked for so often at least
NEVER_NS: Final = 1 << 62
SPARES: Final = 8  # sockets for load connections that do not open at first
# What a connection ends with whose first packets were lost too often, on its way or on that back.
LOST: Final = frozenset(map(os.strerror, (errno.ETIMEDOUT, errno.ECONNRESET)))
OPENING_NS: Final = round(2 * LATE_S * 1e9)  # the first connections are open by then


class Client:
    """One test."""

    def __init__(self, pipe: talk.Talk, request: talk.Request, loop: Loop) -> None:
        self.pipe = pipe
        self.request = request
        self.loop = loop
        self.ways: list[str] = request["ways"]
        # Sockets of the load: their congestion control may be for root alone to choose.
        self._sockets = [caller(request) for _ in range(MNP * len(self.ways) + SPARES)]
        talk.least_power()
        plain = request | {"congestion": ""}
        context = tls.client_context(request["certificate"]) if request["tls"] else None
        places = Places(request["address"], request["port"])
        self.target = Target(loop, places.name, places, context, lambda: caller(plain))
        self.burdens: list[Burden] = []
        self.waiting = Waiting()
        self._broke = ""
        self._reopened = 0
        self._tick_ns = 0

    def run(self) -> None:
        """From the word to start to the report. Raises RefusedError; ends early with the pipe."""
        self._until(lambda _: self.pipe.started)
        self.target = self._discovered()
        for way in self.ways * INP:
            self.burdens.append(self.burden(way))
        opens_ns = time.monotonic_ns() + OPENING_NS
        if not self._until(lambda _: all(b.is_open for b in self.burdens), opens_ns):
            raise talk.RefusedError(f"{self._where}: no connection within {2 * LATE_S:g} s")
        idle = Idle(self.target, self.burdens[0], self.waiting, time.monotonic_ns())

        def resting(now_ns: int) -> bool:
            idle.step(now_ns)
            return idle.is_over

        self._until(resting, due_ns=lambda: idle.due_ns)
        working = self._work()
        self.pipe.say("done", **self._report(idle, working))

    def _discovered(self) -> Target:
        """Ask the server where its objects are; the target by its answer. Raises RefusedError."""
        ends_ns = time.monotonic_ns() + OPENING_NS
        for _ in range(SPARES):
            asking = Discovery(self.target, self.target.stranger())
            self._until(asking.is_over, ends_ns)
            asking.fail(f"no answer within {2 * LATE_S:g} s")
            if asking.why not in LOST:
                break
        try:
            return asking.target_told()
        except OddError as error:
            raise talk.RefusedError(f"configuration of {self._where}: {error}") from None

    def burden(self, way: str) -> Burden:
        """One more load connection."""
        return self._burden(len(self.burdens), way)

    def _burden(self, at: int, way: str) -> Burden:
        return Burden(self.target, self._sockets.pop(), way, lambda why: self._break(at, why))

    def _work(self) -> Working:
        self.cpu_ns = time.process_time_ns()
        terms = Terms.of(self.request)
        now_ns = time.monotonic_ns()
        working = Working(self.target, self.burdens, self.burden, terms, now_ns)

        def stepping(now_ns: int) -> bool:
            working.step(now_ns, self.waiting)
            self._tell(now_ns, working)
            return working.course.over

        self._until(stepping, due_ns=lambda: working.due_ns)
        self.cpu_ns = time.process_time_ns() - self.cpu_ns
        return working

    def _until(
        self,
        over: Callable[[int], bool],
        ends_ns: int = NEVER_NS,
        due_ns: Callable[[], int] = lambda: NEVER_NS,
    ) -> bool:
        """Turn until it is over, or a time. Raises RefusedError where a load breaks."""
        while not _is_over(over, now_ns := time.monotonic_ns()):
            if self.pipe.closed:
                raise SystemExit(0)
            if now_ns > ends_ns:
                return False
            self.loop.turn(min(now_ns + STEP_NS, due_ns()))
            self.waiting.fail_late(time.monotonic_ns())
            if self._broke:
                raise talk.RefusedError(self._broke)
        return True

    @property
    def _where(self) -> str:
        return f"{self.target.host} port {self.target.places.port}"

    def _break(self, at: int, why: str) -> None:
        """Open it again if it never was: a full queue drops first packets as it drops others."""
        old = self.burdens[at] if at < len(self.burdens) else None
        if old and old.never_opened and why in LOST and self._reopened < SPARES:
            self._reopened += 1
            new = self.burdens[at] = self._burden(at, old.direction)
            if old.is_wanted:
                new.load()
        else:
            self._broke = self._broke or f"load connection {at + 1} to {self._where}: {why}"

    def _tell(self, now_ns: int, working: Working) -> None:
        every_ns = int(self.request["tick_ms"]) * 1_000_000
        if every_ns and now_ns - self._tick_ns >= every_ns:
            self._tick_ns = now_ns
            self.pipe.say("tick", t_ns=now_ns, bytes=sum(working.moved_bytes()))

    def _report(self, idle: Idle, working: Working) -> talk.Request:
        self.waiting.drop()
        came = Bins()
        for burden in self.burdens:
            came.include(burden.came)
        first = self.burdens[0].channel
        assert first is not None
        report = {
            "cpu_ns": self.cpu_ns,
            "bytes": came.total,
            "rate": came.report(),
            "idle": idle.book.report(),
            "version": first.version,
            "cipher": first.cipher,
            "mss_bytes": first.mss_bytes,
            "reopened": self._reopened,
        }
        return working.report() | report


def _is_over(over: Callable[[int], bool], now_ns: int) -> bool:
    """Not over where a load breaks as a probe is written beside it: its end is kept, and said."""
    try:
        return over(now_ns)
    except ClosedError:
        return False


def run(pipe: talk.Talk, request: talk.Request, loop: Loop) -> None:
    """Run a test and report."""
    client = Client(pipe, request, loop)
    pipe.say("ready", port="tcp")
    client.run()


if __name__ == "__main__":
    job.main(run)
