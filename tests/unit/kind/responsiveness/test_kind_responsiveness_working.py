# SPDX-License-Identifier: Apache-2.0
"""When probes are sent beside a load, on a clock of the test's own; and a load that breaks."""

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest

from gatemark.kind.responsiveness import working
from gatemark.kind.responsiveness.burden import Burden
from gatemark.kind.responsiveness.channel import ClosedError
from gatemark.kind.responsiveness.client import Client
from gatemark.kind.responsiveness.dial import Target
from gatemark.kind.responsiveness.probe import Waiting
from gatemark.kind.responsiveness.working import Terms, Working
from gatemark.workload.talk import RefusedError

S: Final = 1_000_000_000
STEP: Final = S // 100
FAST: Final = 15_000_000  # bit/s


class Load:
    """A load connection that moves as many bytes as the test says."""

    direction = "up"
    is_open = True

    def __init__(self) -> None:
        self.moved = 0

    def load(self) -> None:
        """Nothing to begin."""

    def moved_bytes(self) -> int:
        return self.moved

    def probe(self, book: object) -> object:
        return book


def sent(
    monkeypatch: pytest.MonkeyPatch, rate_bps: Callable[[int], float], until_s: int
) -> list[int]:
    """When each probe was sent, in ns, over a way of this rate in each interval of 5 s."""
    monkeypatch.setattr(working, "Foreign", lambda _, book: book)
    times: list[int] = []
    now = [0]
    waiting = SimpleNamespace(add=lambda _: times.append(now[0]))
    load = Load()
    test = Working(
        cast(Target, SimpleNamespace(tls=None)),
        [cast(Burden, load)],
        lambda _: cast(Burden, Load()),
        Terms(("up",), 5 * S, FAST, seed=1, most=1),
        0,
    )
    while now[0] < until_s * S:
        now[0] += STEP
        load.moved += round(rate_bps((now[0] - 1) // (5 * S)) / 8 * STEP / S)
        test.step(now[0], cast(Waiting, waiting))
    return times


def test_one_slow_interval_silences_the_probes_for_no_longer_than_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At 4 kbit/s a probe is due each two minutes; the way stands still for one interval alone."""
    times = sent(monkeypatch, lambda interval: 4_000 if interval == 1 else FAST, 40)
    gaps = [after - before for before, after in pairwise(times)]
    assert 4 * S < max(gaps) <= 5 * S + 2 * STEP
    assert len([at for at in times if at > 15 * S]) > 100


def test_probes_come_evenly_where_the_rate_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """2000 bytes a pair without TLS: 5 % of 480 kbit/s are 1.5 pairs a second."""
    times = sent(monkeypatch, lambda _: 480_000, 40)
    late = [at for at in times if at > 10 * S]
    gaps = [after - before for before, after in pairwise(late)]
    assert min(gaps) >= S / 3 - STEP
    assert max(gaps) <= S / 3 + 2 * STEP


def turning(broke: str) -> Client:
    """A client that has nothing to do but to turn."""
    made: Any = object.__new__(Client)
    made.pipe = SimpleNamespace(closed=False)
    made.loop = SimpleNamespace(turn=lambda _: None)
    made.waiting = SimpleNamespace(fail_late=lambda _: None)
    made._broke = broke
    return cast(Client, made)


def test_a_load_that_breaks_as_a_probe_is_written_ends_the_test_with_a_reason() -> None:
    test = turning("")

    def over(now_ns: int) -> bool:
        del now_ns
        test._broke = "load connection 1: Broken pipe"
        raise ClosedError("Broken pipe")

    with pytest.raises(RefusedError, match="load connection 1: Broken pipe"):
        test._until(over)


def test_a_load_that_breaks_as_it_begins_is_told_to_the_test() -> None:
    reasons: list[str] = []
    made: Any = object.__new__(Burden)
    made.is_closed, made.is_wanted = False, False
    made.channel = SimpleNamespace(is_open=True, close=lambda: None)
    made.target = SimpleNamespace(loop=SimpleNamespace(drop=lambda _: None))
    made._broken = reasons.append

    def begin() -> None:
        raise ClosedError("Connection reset by peer")

    made._begin = begin
    made.load()
    assert reasons == ["Connection reset by peer"]
    assert made.is_closed
