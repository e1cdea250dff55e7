# SPDX-License-Identifier: Apache-2.0
"""An application: its figures from planted reports, what a call is worth, whose fault it is."""

import struct
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from gatemark.error import InvalidTrialError, UnavailableError
from gatemark.judge.math.emodel import mos, rating
from gatemark.kind.application import programs
from gatemark.kind.application.carried import rates
from gatemark.kind.application.program import call_sip, dns, film, srt, ssh, torrent
from gatemark.kind.application.programs import APPLICATIONS
from gatemark.kind.application.result import books, call, delays, jitter_ns, late, too_slow
from gatemark.kind.application.tap import numbered
from gatemark.kind.application.watch import Thread
from gatemark.plan.kind import faults
from gatemark.plan.load import load
from gatemark.plan.model import Workload
from gatemark.plan.order import order

MS = 1_000_000
FAST = {
    "late_p99_ns": 0,
    "late_most_ns": 0,
    "wait_share": 0.0,
    "waiter": "",
    "robbed_ns": 0,
    "cpu_ns": 0,
}
DNSPERF = """> NOERROR www1.example.test A 0.000500
> T www2.example.test A
> NOERROR www3.example.test A 0.001500
Statistics:
  Queries sent:         3
  Queries completed:    2 (66.67%)
  Queries lost:         1 (33.33%)
  Run time (s):         3.0
"""


class End:
    """A way's reports, as far as they tell whose fault it was."""

    def __init__(self, near: dict[str, Any], far: dict[str, Any], *, own: bool = False) -> None:
        self.wire = SimpleNamespace(own=own)
        self.sender = {"watch": FAST | near}
        self.sink = {"watch": FAST | far}
        self.span_ns = 1000 * MS


def packets(delay_ns: int, lost: range = range(0)) -> tuple[list[Any], list[Any]]:
    """A call of 4 s: a packet each 20 ms."""
    sent = [(7, at, at * 20 * MS) for at in range(200)]
    came = [(7, at, ns + delay_ns) for _, at, ns in sent if at not in lost]
    return sent, came


# Worked by hand by G.107: Idd of equation 7-27 with x = log2(d / 100), Ie,eff of 7-29 with Bpl
# 25.1, R = 93.2 less both, MOS of annex B.
@pytest.mark.parametrize(
    ("one_way_ms", "lost", "opinion"),
    [(0, 0.0, 4.41), (150, 0.01, 4.32), (300, 0.03, 3.52), (400, 0.10, 2.17)],
)
def test_a_call_is_worth_what_the_e_model_says(
    one_way_ms: float, lost: float, opinion: float
) -> None:
    assert mos(rating(one_way_ms, lost)) == pytest.approx(opinion, abs=0.006)


def test_a_call_is_told_by_its_worse_direction() -> None:
    sent, came = packets(10 * MS)
    late_sent, late_came = packets(400 * MS, range(0, 200, 20))
    values = call(
        (0, 4000 * MS),
        {"sent": late_sent, "came": came},
        {"sent": sent, "came": late_came},
    )
    assert values["call_lost_share"] == 0.05
    assert values["call_delay_p50_ns"] == 400 * MS
    assert values["call_ear_ns"] == pytest.approx((400 + 20 + 26.5) * MS)
    assert values["call_mos"] < 3


def test_packets_that_are_sent_before_or_after_do_not_count() -> None:
    sent, came = packets(MS)
    (flow,) = delays((1000 * MS, 1100 * MS), sent, came)
    assert flow == [MS] * 6


def test_the_books_name_the_packets_that_a_capture_can_be_held_against() -> None:
    sent, came = packets(MS, range(60, 63))
    assert books((1000 * MS, 1990 * MS), sent, came) == {
        "sent": 50,
        "lost": 3,
        "first": 50,
        "last": 99,
    }
    assert books((0, 10), [], came) == {}


def test_jitter_is_that_of_rfc_3550_also_where_numbers_begin_anew() -> None:
    sent = [(7, (65500 + at) % 65536, at * 20 * MS) for at in range(200)]
    steady = [(7, number, ns + 5 * MS) for _, number, ns in sent]
    assert jitter_ns((0, 4000 * MS), sent, steady) == 0.0
    swung = [(7, number, ns + (at % 2) * 8 * MS) for at, (_, number, ns) in enumerate(sent)]
    assert jitter_ns((0, 4000 * MS), sent, swung) == pytest.approx(8 * MS, rel=1e-4)


def test_a_call_with_a_silent_end_is_no_call() -> None:
    sent, came = packets(MS)
    with pytest.raises(InvalidTrialError, match="one-sided"):
        call((0, 4000 * MS), {"sent": sent, "came": []}, {"sent": [], "came": came})


@pytest.mark.parametrize(
    ("watch", "words"),
    [
        ({"late_most_ns": 101 * MS}, "a timer on the LAN host came up to 101 ms late"),
        ({"late_p99_ns": 21 * MS, "late_most_ns": 30 * MS}, "p99 21 ms"),
        ({"wait_share": 0.06, "waiter": "sshd"}, "sshd on the LAN host waited 6 % of the time"),
        ({"robbed_ns": 60 * MS}, "the LAN host waited 6 % of the time for a CPU"),
    ],
)
def test_a_host_without_its_cpu_is_too_slow(watch: dict[str, Any], words: str) -> None:
    assert words in too_slow(End(watch, {}), APPLICATIONS["ssh"])  # type: ignore[arg-type]
    assert too_slow(End({}, watch), APPLICATIONS["ssh"])  # type: ignore[arg-type]
    assert not too_slow(End({}, {}), APPLICATIONS["ssh"])  # type: ignore[arg-type]


def test_a_server_on_the_gateway_may_wait_for_its_cpu() -> None:
    slow = End({}, {"wait_share": 0.5, "late_most_ns": 300 * MS}, own=True)
    assert too_slow(slow, APPLICATIONS["ssh"]) == ""  # type: ignore[arg-type]


def test_ends_that_wait_for_each_other_are_not_robbed() -> None:
    busy = End({"robbed_ns": 300 * MS}, {"cpu_ns": 280 * MS})
    assert too_slow(busy, APPLICATIONS["ssh"]) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("used_ms", "waited_ms", "times", "harm_ms"),
    [(10, 140, 100, 0), (10, 600, 100, 600), (200, 140, 100, 140)],
)
def test_brief_waits_of_a_thread_that_does_little_do_no_harm(
    used_ms: int, waited_ms: int, times: int, harm_ms: int
) -> None:
    thread = Thread((MS, MS, 7), (MS + used_ms * MS, MS + waited_ms * MS, 7 + times))
    assert thread.harm_ns(2000 * MS) == harm_ms * MS


def test_rates_are_those_of_the_time_between_two_counts() -> None:
    first = {"rx_bps": 8, "rx_pps": 1, "tx_bps": 0, "tx_pps": 0}
    last = {"rx_bps": 808, "rx_pps": 11, "tx_bps": 80, "tx_pps": 2}
    assert rates(first, last, 2000 * MS) == {"rx_bps": 400, "rx_pps": 5, "tx_bps": 40, "tx_pps": 1}


def test_an_echo_that_never_comes_is_the_latest_and_unseen() -> None:
    took = ssh.echoes([0, 200 * MS], [5 * MS])
    assert took == [5.0 * MS, ssh.UNSEEN_S * 1e9]
    assert ssh.unseen(took) == 0.5


def test_a_question_without_an_answer_takes_all_of_its_time() -> None:
    report = dns.read(DNSPERF)
    assert report["samples"]["lookup"] == [0.5 * MS, 1.5 * MS, dns.TIMEOUT_S * 1e9]
    assert report["values"]["lookups_lost_share"] == pytest.approx(1 / 3)


def test_a_receivers_own_counts_are_summed_over_whole_lines() -> None:
    row = '{"recv":{"packetsUnique":%d,"packetsDropped":%d,"packetsRetransmitted":1}}'
    text = f"{row % (60, 0)}\n{row % (30, 10)}\n{row[:20]}"
    assert srt.counted(text) == {"came": 90, "given up": 10, "sent again": 2}


def test_a_video_is_late_where_its_packets_are() -> None:
    sent, came = packets(100 * MS, range(10))
    again = [(7, 0, 500 * MS)]  # of a packet that was sent at 0: it comes, and too late
    assert late((0, 4000 * MS), sent + again, [*came, (7, 0, 510 * MS)]) == 10 / 200
    assert late((0, 4000 * MS), *packets(121 * MS)) == 1.0


def test_a_film_waits_for_as_long_as_it_stood() -> None:
    seen = {"began": 0, "start": 1000, "now": 11_000, "waits": [[2000, 3000]], "open": 10_500}
    values = film.watched(
        seen | {"widths": [160] * 50 + [480] * 50 + [160] * 50 + [480] * 50, "dropped": 0}
    )["values"]
    assert values["film_start_ns"] == 1e9
    assert values["film_waiting_share"] == pytest.approx(0.15)
    assert values["film_rate_share"] == pytest.approx((1500 + 250) / 2 / 1500)


def test_a_film_that_never_starts_waits_all_the_time() -> None:
    seen = {"began": 0, "start": 0, "now": 9000, "waits": [], "open": 0, "widths": []}
    assert film.watched(seen)["values"]["film_waiting_share"] == 1.0


def test_holes_of_a_download_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "data"
    assert torrent.loaded_bytes(path) == 0
    with path.open("wb") as file:
        file.seek(1 << 20)
        file.write(bytes(1 << 16))
    assert 1 << 16 <= torrent.loaded_bytes(path) < 1 << 20


def test_a_torrent_is_written_as_bittorrent_has_it() -> None:
    assert torrent.bencoded({b"b": 7, b"a": b"xy"}) == b"d1:a2:xy1:bi7ee"


def packet(payload_type: int = 96, version: int = 2) -> bytes:
    return struct.pack("!BBHII", version << 6, payload_type, 42, 0, 7)


@pytest.mark.parametrize(
    ("payload", "known"),
    [
        (packet(), (7, 42)),
        (packet(payload_type=0x80 | 96), (7, 42)),  # with the marker
        (packet(payload_type=200), None),  # RTCP
        (packet(version=0), None),  # STUN
        (packet()[:11], None),
    ],
)
def test_packets_of_a_call_are_known(payload: bytes, known: tuple[int, int] | None) -> None:
    assert call_sip.rtp(payload) == known


def test_packets_of_a_video_are_known_and_control_is_not() -> None:
    assert srt.data(struct.pack("!4I", 42, 0, 0, 7)) == (7, 42)
    assert srt.data(struct.pack("!4I", 42 | 1 << 31, 0, 0, 7)) is None
    assert srt.data(bytes(15)) is None


def test_a_frame_with_options_is_not_looked_into() -> None:
    plain = bytes(14) + b"\x45" + bytes(27)
    assert numbered(plain + packet(), call_sip.rtp) == (7, 42)
    assert numbered(plain.replace(b"\x45", b"\x46") + packet(), call_sip.rtp) is None
    assert numbered(plain, call_sip.rtp) is None


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"application": "shs"}, "ssh"),
        ({"application": "film", "duration_s": 2.0}, "8 to 120"),
        ({"family": "ipv6"}, "ipv4"),
        ({"direction": "both"}, "LAN"),
    ],
)
def test_what_cannot_be_played_is_refused(keys: dict[str, Any], words: str) -> None:
    keys = {"kind": "application", "duration_s": 8.0} | keys
    workload = msgspec.convert(keys, Workload)
    assert any(words in fault for fault in faults(workload))


def test_what_is_missing_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(programs, "path", lambda program: program == "ssh" or None)
    with pytest.raises(UnavailableError, match=r"apt-get install .*dnsperf openssh-client"):
        programs.require(["dns", "ssh"])


def test_on_the_clean_way_nothing_is_sent_beside() -> None:
    _, plans = load("apps/first")
    beside = {spec.arm.name: [*spec.beside] for spec in order(plans, 1)}
    assert beside.pop("clean") == []
    assert set(map(tuple, beside.values())) == {("upload",)}


def test_the_programs_that_a_plan_plays_are_known() -> None:
    _, plans = load("apps")
    assert set(programs.played(plans)) == set(APPLICATIONS)
    assert programs.played([]) == []
