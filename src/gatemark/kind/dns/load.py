# SPDX-License-Identifier: Apache-2.0
"""A trial of names: dnsperf on the LAN host, the gateway's forwarder, dnsmasq on the WAN host.

    dnsperf ---> gateway: answers what it knows ---> dnsmasq: knows each name below gm.test

Known names are asked once before the counted time. Each end's own socket is looked at: what it
overflowed with is no loss of the gateway.
"""

import asyncio
import os
import secrets
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, Final, Self

from gatemark.error import InvalidTrialError, NodeError
from gatemark.gateway.feature.program.dns import PORT as UPSTREAM
from gatemark.kind.dns import names
from gatemark.kind.dns.plan import DNS, path, require_programs
from gatemark.node import nobody
from gatemark.node.agent import Tick
from gatemark.node.reader import reader
from gatemark.node.shell import FIRST, Node, here
from gatemark.plan.feature import DIRECT
from gatemark.plan.model import TrialSpec, Workload
from gatemark.station.cpu import Placement
from gatemark.station.station import Station
from gatemark.station.wiring import Wire
from gatemark.workload.way import Drained, Load, Way

PORT: Final = 53
TTL_S: Final = 3600  # longer than a trial
AT_ONCE: Final = 100  # queries that wait, where no rate is asked for
MOST_WAITING: Final = 60_000
TIMEOUT_S: Final = 1  # of a query: a resolver at home asks again by then or soon after
BUFFER_KB: Final = 4096
WARM_PPS: Final = 500
STARTING_S: Final = 10.0
ENDING_S: Final = 20.0  # beyond the time, on a busy machine
LAST: Final = 300  # characters of a program's last words


async def loads(station: Station, spec: TrialSpec, ways: Sequence[Wire]) -> Sequence[Load]:
    """The one that asks. Raises UnavailableError with the command that installs its programs."""
    require_programs()
    return [Lookups(ways[0], spec.workload, station.placement, is_alone=spec.arm.path == DIRECT)]


class Running:
    """A program of others on a host: as nobody, on a CPU, ended with the laboratory."""

    def __init__(self, node: Node, cpu: int, words: Sequence[str], stdin: IO[bytes] | None) -> None:
        self.name = words[0]
        self._out = TemporaryFile()  # noqa: SIM115  closed when it has ended
        self._process = subprocess.Popen(
            here(node).argv(
                *("taskset", "-c", str(cpu), *FIRST, *nobody.words()),
                *(path(words[0]) or words[0], *words[1:]),
            ),
            stdin=stdin or subprocess.DEVNULL,
            stdout=self._out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def text(self) -> str:
        """Return all that it has printed."""
        # Its place in the file is the program's own, too: nothing may move it.
        size = os.fstat(self._out.fileno()).st_size
        return os.pread(self._out.fileno(), size, 0).decode(errors="replace")

    async def says(self, text: str, within_s: float) -> None:
        """Wait until it has printed a text. Raises NodeError."""
        until = time.monotonic() + within_s
        while text not in self.text():
            if self._process.poll() is not None or time.monotonic() > until:
                raise NodeError(f"{self.name} never said '{text}': {self._last()}")
            await asyncio.sleep(0.02)

    async def ended(self, within_s: float) -> str:
        """Wait for its end; return what it printed. Raises InvalidTrialError."""
        until = time.monotonic() + within_s
        while (code := self._process.poll()) is None:
            if time.monotonic() > until:
                raise InvalidTrialError(f"{self.name} did not end within {within_s:g} s")
            await asyncio.sleep(0.05)
        text = self.text()
        if code:
            raise InvalidTrialError(f"{self.name} failed with exit code {code}: {self._last()}")
        return text

    def end(self) -> None:
        """Kill it, if it still runs."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()
        self._out.close()

    def _last(self) -> str:
        lines = self.text().strip().splitlines() or ["nothing"]
        return lines[-1][:LAST]


class Lookups:
    """Both ends of a trial; `is_alone`: without a gateway, the far end is asked itself."""

    def __init__(self, wire: Wire, load: Workload, placement: Placement, *, is_alone: bool) -> None:
        self.wire = wire
        self.load = load
        self._cpu = placement
        self._server = (wire.far if is_alone else wire.next_hop).address("ipv4")
        self._port = UPSTREAM if is_alone else PORT
        self._seed = secrets.randbits(48)
        self._token = f"{self._seed:012x}"  # no trial's names are in a cache
        self._running: list[Running] = []

    async def ready(self) -> Self:
        """Start what knows the answers. Raises NodeError, UnavailableError."""
        answer = self.wire.far.address("ipv4")  # of a network that a forwarder lets through
        upstream = self._start(
            self.wire.far.node,
            self._cpu.sink,
            *("dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv"),
            *("--no-hosts", f"--port={UPSTREAM}", "--bind-interfaces", "--user=", "--pid-file="),
            *(f"--address=/{names.ZONE}/{answer}", f"--local-ttl={TTL_S}", "--log-facility=-"),
        )
        await upstream.says("started, version", STARTING_S)
        return self

    async def go(self, drained: Drained, tick: Tick | None = None) -> Way:
        """Let the gateway learn the known names, then ask. Raises InvalidTrialError, NodeError."""
        del tick
        load, ends = self.load, (self.wire.near.node, self.wire.far.node)
        if load.cached:
            await self._learn()
        before = [unread(await node.run("cat", "/proc/net/snmp")) for node in ends]
        number = names.count(load.rate_pps, load.duration_s)
        lines = names.asked(number, load.cached, self._token, self._seed)
        waiting = min(MOST_WAITING, round(load.rate_pps * TIMEOUT_S * 1.5) + AT_ONCE)
        words = ("-Q", f"{load.rate_pps:.0f}") if load.rate_pps else ()
        t0_ns = time.monotonic_ns()
        text = await self._ask(
            lines, load.duration_s, "-l", f"{load.duration_s:g}", "-q", str(waiting), *words
        )
        t1_ns = time.monotonic_ns()
        after = [unread(await node.run("cat", "/proc/net/snmp")) for node in ends]
        await drained()
        report = names.read(text, number)
        overflown = [new - old for old, new in zip(before, after, strict=True)]
        seen = {"t0_ns": t0_ns, "t1_ns": t1_ns, "cpu_ns": 0, DNS: report, "unread": overflown}
        for running in self._running:
            running.end()
        ports = {"sender": "udp", "sink": "udp"}
        return Way(self.wire, seen, seen, ports, program="dnsperf", talks=True)

    async def abort(self) -> None:
        """End all that runs."""
        for running in self._running:
            running.end()

    async def _learn(self) -> None:
        """Ask each known name once. Raises InvalidTrialError where nothing answers at all."""
        text = await self._ask(names.known(self._token), 2.0, "-n", "1", "-Q", str(WARM_PPS))
        report = names.read(text)
        if not report.hits.took_ns:
            codes = ", ".join(report.hits.codes)
            why = f"answers {codes} alone" if codes else "does not answer"
            raise InvalidTrialError(
                f"{self._server} {why} on port {self._port}: is there a forwarder that asks the "
                "WAN host? Write the feature dns:dnsmasq"
            )

    async def _ask(self, lines: Iterable[str], seconds: float, *words: str) -> str:
        """Run dnsperf to its end; return its report."""
        with TemporaryFile() as file:
            file.writelines(line.encode() for line in lines)
            file.seek(0)
            asking = self._start(
                self.wire.near.node,
                self._cpu.sender,
                *("dnsperf", "-v", "-s", self._server, "-p", str(self._port), "-c", "1"),
                *("-t", str(TIMEOUT_S), "-b", str(BUFFER_KB), *words),
                stdin=file,
            )
            return await asking.ended(seconds + TIMEOUT_S + ENDING_S)

    def _start(self, node: Node, cpu: int, *words: str, stdin: IO[bytes] | None = None) -> Running:
        running = Running(node, cpu, words, stdin)
        self._running.append(running)
        return running


@reader("the counters of its IP layer")
def unread(text: str) -> int:
    """Return how many UDP packets found the socket of their program full."""
    rows = [line.split()[1:] for line in text.splitlines() if line.startswith("Udp: ")]
    head, counts = rows
    return int(dict(zip(head, counts, strict=True))["RcvbufErrors"])
