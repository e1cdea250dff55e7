# SPDX-License-Identifier: Apache-2.0
"""TCP connections per second compared with wrk and ab against nginx; a million connections held.

All tools are interleaved on one lab, with the same hosts and CPUs. Each connects, sends one small
request, takes one small answer and closes, 64 at once. The peers send HTTP of some 100 bytes each
way, ours sends 16 bytes: one packet each way for both. nginx answers from its configuration, logs
nothing and has one worker.
"""

import argparse
import asyncio
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.compare import Comparison, compare, progress, show
from gatemark.node.shell import FIRST, here
from gatemark.plan.model import Arm, Gateway, TrialSpec, Workload
from gatemark.run import trial
from gatemark.run.bench import Bench
from gatemark.station import lock
from gatemark.station.awake import awake
from gatemark.station.netns import Lab
from gatemark.station.recover import recover
from gatemark.station.wiring import Port, Wire, wires
from gatemark.store.record import Record

SECONDS = 2.0
AT_ONCE = 64
PORT = 8080
MILLION = 1_000_000

NGINX = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 20000; multi_accept on; }}
http {{
  access_log off; keepalive_timeout 0;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
  uwsgi_temp_path {folder}; scgi_temp_path {folder};
  server {{ listen {address}:{port} backlog=4096 deferred; location / {{ return 200 "echo"; }} }}
}}
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """A client for HTTP, and the pattern of the connections/s in what it prints."""

    command: Callable[[str], str]  # of the URL
    rate: str


PEERS = {
    "wrk": Peer(
        lambda url: f"wrk -t1 -c{AT_ONCE} -d{SECONDS:.0f}s -H Connection:close {url}",
        r"Requests/sec:\s+([\d.]+)",
    ),
    "ab": Peer(
        lambda url: f"ab -q -r -c {AT_ONCE} -t {SECONDS:.0f} -n 10000000 {url}",
        r"Requests per second:\s+([\d.]+)",
    ),
}

Measure = Callable[[Bench, Arm], Awaitable[float]]


def main() -> None:
    """Measure in rounds, each with every path and every tool; print the comparisons."""
    parser = argparse.ArgumentParser(prog="benchmarks.connections", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="rounds (default: 6)")
    parser.add_argument("--no-million", action="store_true", help="leave out the million")
    parser.add_argument("--json", action="store_true", help="one JSON object per comparison")
    options = parser.parse_args()
    recover()
    rows = asyncio.run(_measure(options.rounds, million=not options.no_million))
    progress("")
    show(rows, json_=options.json)


async def _measure(rounds: int, *, million: bool) -> list[Comparison]:
    rates: dict[tuple[str, str], list[float]] = defaultdict(list)
    arms = [
        Arm(path="direct", name="direct"),
        Arm(path="route", name="route"),
        Arm(path="nat", name="nat"),
    ]
    tools: dict[str, Measure] = {"ours": _ours} | {name: _peer(name) for name in PEERS}
    async with Bench(Lab()) as bench:
        for number in range(1, rounds + 1):
            for arm in arms:
                order = list(tools) if number % 2 else list(tools)[::-1]
                for tool in order:
                    progress(f"round {number} of {rounds}: {arm.name}, {tool}")
                    with lock.machine(progress):
                        rates[arm.name, tool].append(await tools[tool](bench, arm))
        rows = [
            compare(
                f"connect, ask, close, {arm.name}",
                rates[arm.name, "ours"],
                name,
                rates[arm.name, name],
                "connections/s",
            )
            for arm in arms
            for name in PEERS
        ]
        return rows + (await _million(bench) if million else [])


async def _ours(bench: Bench, arm: Arm) -> float:
    load = _load(connecting="crr", connections=AT_ONCE, duration_s=SECONDS)
    return (await _record(bench, arm, load)).values["connections_per_s"]


async def _million(bench: Bench) -> list[Comparison]:
    progress(f"{MILLION} connections held, direct")
    load = _load(connecting="open", connections=MILLION, clients=25, duration_s=600.0)
    with lock.machine(progress):
        record = await _record(bench, Arm(path="direct", name="direct"), load)
    held, values = record.values["connections"], record.values
    rate, each = values["connections_per_s"], values["connection_bytes"]
    progress(f"{held:.0f} held, opened {rate:.0f}/s, {each:.0f} bytes each, both ends\n")
    return [compare("held at once, direct", [held], "target", [MILLION], "connections")]


def _load(**keys: object) -> Workload:
    return Workload(kind="connections", **keys)  # type: ignore[arg-type]


async def _record(bench: Bench, arm: Arm, load: Workload) -> Record:
    spec = TrialSpec(
        trial=arm.name,
        plan="benchmark",
        arm=arm,
        gateway=Gateway(),
        workload=load,
        point={},
        repeat=1,
        pass_="outside",  # noqa: S106
    )
    record, _ = await trial.run(bench, spec, lambda *_: None)
    if record.status != "ok":
        raise SystemExit(f"{arm.name}: {record.reason}")
    return record


def _peer(name: str) -> Measure:
    async def measure(bench: Bench, arm: Arm) -> float:
        await bench.prepare(arm, _load(connecting="crr"), 0)
        if arm.path == "nat":
            await bench.station.flush()
        (wire,) = wires(bench.station.ports, arm.path, "up")
        place = bench.station.placement
        return await asyncio.to_thread(_rate, PEERS[name], wire, place.sender, place.sink)

    return measure


def _rate(peer: Peer, wire: Wire, near_cpu: int, far_cpu: int) -> float:
    url = f"http://{wire.far.address('ipv4')}:{PORT}/"
    with _serving(wire.far, far_cpu), awake():
        client = _start(wire.near, near_cpu, peer.command(url))
        output, _ = client.communicate(timeout=SECONDS + 30)
    match = re.search(peer.rate, output)
    if not match:
        raise SystemExit(f"{peer.command(url)} printed no rate: {output.strip()}")
    return float(match[1])


@contextmanager
def _serving(port: Port, cpu: int) -> Iterator[None]:
    with tempfile.TemporaryDirectory(prefix="gatemark-nginx-") as folder:
        address = port.address("ipv4")
        config = Path(folder, "nginx.conf")
        config.write_text(NGINX.format(folder=folder, address=address, port=PORT))
        server = _start(port, cpu, f"nginx -e {folder}/error -c {config}")
        try:
            _wait(port)
            yield
        finally:
            server.terminate()
            server.communicate(timeout=10)


def _wait(port: Port, patience: int = 100) -> None:
    command = here(port.node).argv("ss", "-Hltn", f"sport = {PORT}")
    for _ in range(patience):
        if subprocess.run(command, capture_output=True, check=True).stdout:
            return
        subprocess.run(["sleep", "0.05"], check=True)
    raise SystemExit("nginx does not listen")


def _start(port: Port, cpu: int, words: str) -> subprocess.Popen[str]:
    # As our agent: its CPU, with precedence over everything else there.
    command = here(port.node).argv("taskset", "-c", str(cpu), *FIRST, *words.split())
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(
        command, stdin=null, stdout=pipe, stderr=null, text=True, start_new_session=True
    )


if __name__ == "__main__":
    main()
