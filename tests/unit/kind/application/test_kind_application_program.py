# SPDX-License-Identifier: Apache-2.0
"""What the files of `program/` make of their programs' words, and of packets that ports saw."""

from typing import Any

import pytest

from gatemark.error import TOO_SLOW, InvalidTrialError
from gatemark.judge.math.emodel import mos, rating
from gatemark.kind.application.browsers import browsers, heard, leg, watched
from gatemark.kind.application.feel import answers, felt
from gatemark.kind.application.program import call_webrtc, dash, game, mosh, mqtt
from gatemark.kind.application.rtc import seen

MS = 1_000_000
S = 1_000 * MS
WINDOW = (0, 4 * S)
SHOT = (
    b"/GstFakeSink:fakesink0: last-message = chain   ******* (fakesink0:sink) (%d bytes, dts: none"
)


def world(delay_up_ns: int, lost: range = range(0)) -> tuple[dict[str, Any], dict[str, Any]]:
    """A game of 4 s: a move each 100 ms, a snapshot each 40 ms, which takes 1 ms."""
    moves = [(1, at, at * 100 * MS) for at in range(40)]
    shots = [(2, at, at * 40 * MS) for at in range(150)]
    near = {"sent": moves, "came": [(f, n, at + MS) for f, n, at in shots if n not in lost]}
    far = {"sent": shots, "came": [(f, n, at + delay_up_ns) for f, n, at in moves]}
    return near, far


def test_a_move_is_seen_with_the_next_snapshot_that_can_show_it() -> None:
    near, far = world(delay_up_ns=200 * MS)
    assert answers(WINDOW, near, far)[0] == 201 * MS  # at the server as it sends the sixth
    assert answers(WINDOW, near, far)[1] == 221 * MS


def test_a_lost_snapshot_makes_the_others_stand_still() -> None:
    near, far = world(MS, lost=range(10, 12))
    figures = felt(WINDOW, {"game": near}, {"game": far, "every_ns": 40 * MS})
    assert figures["game_late_share"] == pytest.approx(1 / 98)


def test_a_move_that_nobody_saw_counts_until_the_end() -> None:
    near, far = world(MS, lost=range(150))
    assert answers(WINDOW, near, far)[0] == 4 * S
    figures = felt(WINDOW, {"game": near}, {"game": far, "every_ns": 40 * MS})
    assert figures["game_late_share"] == 1
    assert figures["game_answer_p95_ns"] > 3 * S


def test_packets_of_the_game_are_told_from_requests_for_its_name() -> None:
    payload = bytes.fromhex("0002010ac5461b") + b"snapshot"
    assert game.packet(payload) == game.packet(payload)
    assert game.packet(payload + b"!") != game.packet(payload)
    assert game.packet(b"\x21" + payload) is None
    assert game.packet(payload[:5]) is None


def sound(delay_ns: int) -> dict[str, list[Any]]:
    """Half a minute of sound at 20 ms."""
    sent = [(7, at, at * 20 * MS) for at in range(200)]
    return {"sent": sent, "came": [(7, at, ns + delay_ns) for _, at, ns in sent]}


def end(
    concealed: int, decoded: int, frozen_s: float, delay_ns: int = MS, kept_s: float = 480.0
) -> dict[str, Any]:
    """An end of a call, between two reports of its page; `kept_s`: of 9 600 samples in all."""
    before = {"timer": [], "inbound-rtp audio": {"totalSamplesReceived": 1_000}}
    after = {
        "timer": [0.1] * 199 + [50.0],
        "inbound-rtp audio": {
            "totalSamplesReceived": 101_000,
            "concealedSamples": 5_000 + concealed,
            "silentConcealedSamples": 5_000,
            "jitterBufferDelay": kept_s,
            "jitterBufferEmittedCount": 9_600,
        },
        "inbound-rtp video": {"framesDecoded": decoded, "totalFreezesDuration": frozen_s},
        "outbound-rtp video": {"framesSent": 100, "qualityLimitationReason": "none"},
    }
    return seen(before, after, sound(delay_ns))


def direction(sender: dict[str, Any], receiver: dict[str, Any]) -> dict[str, float]:
    return heard([leg(WINDOW, sender, receiver)], receiver, WINDOW[1] - WINDOW[0])


def test_who_hears_itself_by_a_conference_hears_both_ways() -> None:
    near, far = end(0, 90, 0.0, delay_ns=30 * MS), {"sound": sound(20 * MS)}
    figures = browsers(WINDOW, near, far)
    assert figures["call_ear_ns"] == pytest.approx((20 + 30 + 50 + 20 + 6.5) * MS)
    assert figures["call_frames_share"] == 0.9


def test_a_browser_that_keeps_more_sound_than_its_packets_ask_for_is_on_a_slow_machine() -> None:
    near, far = end(0, 90, 0.0), end(0, 90, 0.0, kept_s=9_600 * 0.3)
    with pytest.raises(InvalidTrialError, match=rf"{TOO_SLOW}: a browser kept sound for 300 ms"):
        browsers(WINDOW, near, far)
    near["sound"]["sent"][0] = (7, 0, -150 * MS)  # one that came late, before it counted
    assert browsers(WINDOW, near, far)["call_frames_share"] == 0.9


def test_a_call_is_as_late_as_its_packets_its_buffer_and_its_codec() -> None:
    figures = direction(end(0, 100, 0.0), end(0, 100, 0.0, delay_ns=100 * MS))
    assert figures["call_ear_ns"] == pytest.approx((100 + 50 + 20 + 6.5) * MS)
    assert figures["call_lost_share"] == 0


def test_sound_that_is_made_up_is_lost_to_the_ear_and_silence_is_not() -> None:
    good, bad = end(0, 100, 0.0), end(9_500, 100, 0.0)  # a tenth of what was no silence
    clean, worse = direction(good, good), direction(good, bad)
    assert clean["call_mos"] == pytest.approx(4.41, abs=0.02)
    assert worse["call_mos"] == pytest.approx(mos(rating(1 + 50 + 20 + 6.5, 0.1)))


def test_pictures_are_counted_against_those_that_were_sent() -> None:
    assert watched(end(0, 100, 0.0), end(0, 40, 1.5)) == (0.4, 1.5)


def test_the_pages_own_timer_is_reported() -> None:
    assert end(0, 100, 0.0)["timer"] == {"late_p99_ns": 100_000, "late_most_ns": 50 * MS}


def test_of_a_browsers_packets_those_of_sound_are_followed() -> None:
    opus = bytes([0x80, 111]) + bytes(10)
    assert call_webrtc.packet(opus) == (0, 0)
    assert call_webrtc.packet(bytes([0x80, 96]) + bytes(10)) is None


def test_a_film_stands_still_where_no_picture_is_due() -> None:
    small, large = (size for size, rate in dash.SIZES.items() if rate in (250, 1500))
    times = [1_000 + 83 * at for at in range(12)] + [3_000 + 83 * at for at in range(24)]
    chunks = [(ms * MS, SHOT % (small if ms < 2_000 else large)) for ms in times]
    values = dash.watched(chunks, 0, 5_000 * MS)["values"]
    assert values["film_start_ns"] == 1_000 * MS
    assert values["film_waiting_share"] == pytest.approx((3_000 - 1_913) / 4_000)
    assert values["film_rate_share"] == 1


def test_letters_are_told_from_how_a_terminal_draws_them() -> None:
    assert mosh.letters([(5, b"\x1b[?25l\x1b[3;2Hxx\x1b[0m"), (9, b"x")]) == [5, 5, 9]


def test_a_report_that_is_never_acknowledged_took_two_seconds() -> None:
    words = b"Client a sending PUBLISH (d0, q1, r0, m%d, 'home/kitchen', ... (4 bytes))\n"
    chunks = [
        (0, words % 1),
        (3 * MS, b"Client a received PUBACK (Mid: 1, RC:0)\n"),
        (5, words % 2),
    ]
    assert mqtt.acknowledged(chunks) == {"samples": {"report": [3.0 * MS, 2e9]}}
