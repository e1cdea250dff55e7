# SPDX-License-Identifier: Apache-2.0
"""The first answer of made-up quick runs says what their records say, and a wrong digit is seen."""

import random
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import builder
import msgspec
import pytest
from few import few
from hypothesis import example, given
from hypothesis import strategies as st
from inside import gatemark
from msgspec.structs import replace
from recomputed import contradictions

from gatemark.plan.load import load
from gatemark.plan.model import TrialSpec
from gatemark.plan.order import order
from gatemark.run.kind import definition
from gatemark.store.loss import Loss
from gatemark.store.record import CpuReading, Evidence, Record
from gatemark.unit import l1_bps

OFFERED = 2_000_000  # packets/s of a sender that waits for nobody
MEAN_BYTES = 366.0  # of IMIX
TESTER = 0.7  # µs a packet
COSTS = {"route": 2.0, "NAT": 2.6, "bridge": 1.9, "connection tracking": 2.3, "100 rules": 3.9}
BIN_S, ROOM = 0.01, 300  # packets that wait


@dataclass(frozen=True)
class Gateway:
    """How fast it is, and by how much its trials differ."""

    seed: int = 1
    noise: float = 0.03
    speed: float = 1.0  # of its CPU
    knee: float = 27_700.0  # packets/s that it routes when it is slowed
    slope: float = 0.0  # what it carries less beyond the knee, of what is beyond
    hiccups: float = 0.0  # how many trials lose a packet for no reason


def kept(path: Path, gateway: Gateway, repeats: int = 6) -> Path:
    """A run of quick/speed and quick/sweep as they are shipped, through the product's own store."""
    plans = tuple(plan for name in ("speed", "sweep") for plan in load(f"quick/{name}")[1])
    plans = tuple(replace(plan, repeat=replace(plan.repeat, times=repeats)) for plan in plans)
    specs = order(plans, seed=gateway.seed)
    chance = random.Random(gateway.seed)
    records = [record(spec, gateway, chance) for spec in specs]
    words = ("gatemark", "run", "quick", "--line", "1000/500")
    more = {"plans": plans, "trials": specs, "line": (1e9, 5e8), "command": words}
    return builder.keep(path, records, **more).path


def record(spec: TrialSpec, gateway: Gateway, chance: random.Random) -> Record:
    measured = paced if spec.workload.rate_pps else overloaded
    values, loss = measured(spec, gateway, chance)
    size = MEAN_BYTES if spec.workload.mix else float(spec.workload.frame_bytes or 0)
    rate, busy = values["received_pps"], values["cpu_busy"]
    values |= {"received_l1_bps": l1_bps(rate, size), "packet_ns": busy * 1e9 / rate}
    values["loss_ratio"] = 1 - rate / values["offered_pps"]
    tried = round(values["offered_pps"] * spec.workload.duration_s)
    lost = sum(sum(way.lost) for way in loss) if loss else round(tried * values["loss_ratio"])
    cpu = () if spec.arm.path == "direct" else (CpuReading(thread="napi/gw0", cpu=1, busy=busy),)
    account = builder.accounting(tried, lost, refused=lost)
    return Record(
        trial=spec.trial,
        plan=spec.plan,
        arm=spec.arm.name,
        point=dict(spec.point),
        repeat=spec.repeat,
        pass_=spec.pass_,
        sequence=spec.sequence,
        status="ok",
        started="2026-11-21T16:15:10Z",
        definition=definition(spec),
        values=values,
        accounting=account if loss else replace(account, scheduled=0),
        evidence=Evidence(cpu=cpu, loss=loss, schedule_ratio=1.0 if loss else None),
    )


Measured = tuple[dict[str, float], tuple[Loss, ...]]


def overloaded(spec: TrialSpec, gateway: Gateway, chance: random.Random) -> Measured:
    """As fast as it goes: the CPU is full, but for the tester alone."""
    cost = max(TESTER, COSTS.get(spec.arm.name, 0.0) / gateway.speed)
    cost *= 1.1 if spec.workload.mix else 1.25 if spec.workload.frame_bytes == 1518 else 1.0
    busy = chance.uniform(0.98, 1.0)
    rate = busy * 1e6 / (cost * chance.gauss(1, gateway.noise))
    return {"offered_pps": OFFERED, "received_pps": rate, "cpu_busy": busy}, ()


def paced(spec: TrialSpec, gateway: Gateway, chance: random.Random) -> Measured:
    """Bin by bin: what is sent waits, is carried or, where the queue is full, lost."""
    rate, knee = spec.workload.rate_pps, gateway.knee * chance.gauss(1, gateway.noise / 3)
    knee *= 0.96 if spec.arm.path == "nat" else 1.0
    carries = max(0.2 * knee, knee - gateway.slope * max(0.0, rate - knee))
    bins = round(spec.workload.duration_s / BIN_S)
    tried, lost, arrived, waits = [round(rate * BIN_S)] * bins, [0] * bins, [0] * bins, 0
    if chance.random() < gateway.hiccups:
        lost[chance.randrange(bins)] = 1
    for at, count in enumerate(tried):
        waits += count - lost[at]
        arrived[at] = min(waits, round(carries * (at + 1) * BIN_S) - round(carries * at * BIN_S))
        waits -= arrived[at]
        lost[at] += max(0, waits - ROOM)
        waits = min(waits, ROOM)
    last_s = spec.workload.duration_s + waits / carries
    delay_ns = (4e4 + 1e9 * waits / carries) * chance.gauss(1, gateway.noise)
    values = {
        "offered_pps": float(rate),
        "received_pps": (sum(tried) - sum(lost)) / last_s,
        "cpu_busy": min(1.0, rate / knee) * chance.uniform(0.98, 1.0),
        "delay_p50_ns": delay_ns,
        "delay_p99_ns": delay_ns * chance.uniform(1.1, 9.0),
    }
    way = Loss(
        direction="up",
        bin_ms=1e3 * BIN_S,
        tried=tuple(tried),
        lost=tuple(lost),
        refused=tuple(lost),
        arrived=(*arrived, waits),
    )
    return values, (way,)


def answer(folder: Path) -> str:
    done = gatemark("show", folder)
    assert (done.code, done.err) == (0, "")
    return done.out


@given(
    gateway=st.builds(
        Gateway,
        seed=st.integers(0, 999),
        noise=st.sampled_from([0.0, 0.001, 0.03, 0.2]),
        speed=st.sampled_from([0.2, 1.0, 3.0]),  # the last one is near the tester's end
        knee=st.floats(25_000, 31_000),
        slope=st.sampled_from([0.0, 0.3, 1.0]),
        hiccups=st.sampled_from([0.0, 0.3]),
    ),
    repeats=st.sampled_from([1, 2, 5, 6]),
)
@example(gateway=Gateway(noise=0.001, knee=27_910.0), repeats=6)  # a queue that has room at 28 k
@few(4)
def test_no_number_contradicts_the_records(gateway: Gateway, repeats: int) -> None:
    with TemporaryDirectory() as folder:
        path = kept(Path(folder) / "run", gateway, repeats)
        assert contradictions(path, answer(path)) == []


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return kept(tmp_path_factory.mktemp("recomputed") / "run", Gateway())


@pytest.fixture(scope="module")
def both_ways(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of `builder`, whose sweeps go both ways and make the headline."""
    return builder.keep(tmp_path_factory.mktemp("both") / "run").path


@pytest.mark.parametrize("name", ["usual", "both_ways"])
def test_each_digit_that_is_wrong_is_seen(name: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(name)
    text = answer(folder)
    assert contradictions(folder, text) == []
    missed = []
    for digit in re.finditer(r"\d", re.split(r"\n\n\d+ warning", text)[0]):
        before, after = text[: digit.start()], text[digit.end() :]
        other = (int(digit[0]) + 1) % 10
        if not contradictions(folder, f"{before}{other}{after}"):
            missed.append(f"{before[-20:]}[{other}]{after[:20]}")
    assert missed == []


WRONG = {
    "another unit": ("packet, µs", "packet, ms"),
    "another base": ("100 rules on NAT", "100 rules on route"),
    "another row": ("\nbridge", "\nNAT   "),
    "no cell": ("503      ", "\N{EN DASH}        "),
    "a bound": ("  24 (18\N{EN DASH}31)", "≥ 24 (18\N{EN DASH}31)"),
    "the other answer": ("not enough with", "enough with"),
    "not slowed": ("Slowed to a home router's speed", "More and more packets"),
}


def test_each_word_that_is_wrong_is_seen(usual: Path) -> None:
    text = answer(usual)
    assert {name for name, (old, _) in WRONG.items() if old not in text} == set()
    wrong = {name: text.replace(old, new) for name, (old, new) in WRONG.items()}
    assert {name for name, text in wrong.items() if not contradictions(usual, text)} == set()


def test_a_row_of_single_trials_is_seen(usual: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(usual, folder)
    file = folder / "trials.jsonl"
    records = [msgspec.json.decode(line, type=Record) for line in file.read_bytes().splitlines()]
    left = [record for record in records if record.arm != "bridge" or record.repeat == 1]
    file.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in left))
    text = answer(folder)
    assert "routes 503 k packets/s" in text
    heads = ("64 bytes", "IMIX", "1518 bytes", "time", "fewer")
    seen = [text.split(":")[0] for text in contradictions(folder, text)]
    assert seen == [f"bridge, {head}" for head in heads]
