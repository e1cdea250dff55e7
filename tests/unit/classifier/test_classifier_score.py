# SPDX-License-Identifier: Apache-2.0
"""Splits that never mix, and scores worked out by hand."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.classifier import split, telling
from gatemark.classifier.c45 import Model, read
from gatemark.classifier.manifest import Flow
from gatemark.classifier.recipe import Recipe
from gatemark.classifier.score import scores
from gatemark.classifier.track import Track, Window
from gatemark.classifier.verdict import judge, one_line

few = settings(max_examples=settings().max_examples // 3)


@cache
def tree() -> Model:
    """At most 100 bytes is real time."""
    text = "classes other realtime\nattributes fwd.mean.plen\nn_0 a_0 r c_0 100 c_1 c_0\n"
    return read(text, Path("tree"))


def track(
    *lengths: int,
    class_: str = "game",
    application: str = "openarena",
    capture: str = "a.pcap",
    proto: str = "udp",
    port: int = 27960,
    packets: int = 0,
) -> Track:
    """A flow with a window for each mean length, 20 packets and half a second each.

    It has so many packets in all, or those of its windows.
    """
    flow = Flow(
        Path(capture), proto, "192.0.2.1", 5000, "198.51.100.1", port, application, class_, 1
    )
    windows = tuple(
        Window(20 * at, 500_000 * at, (length,), 20 * length)
        for at, length in enumerate(lengths, 1)
    )
    return Track(flow, Recipe().label(flow), windows, packets or 20 * len(lengths))


tracked = st.builds(
    track,
    st.just(80),
    class_=st.sampled_from(["game", "web", "voip"]),
    application=st.sampled_from("abcdef"),
    capture=st.sampled_from(["1", "2", "3", "4", "5", "6", "7", "8"]),
)


@few
@given(st.lists(tracked, min_size=1, max_size=30))
def test_no_capture_is_trained_on_and_judged(tracks: list[Track]) -> None:
    for fold in split.folds(tracks, "capture"):
        assert not {t.flow.capture for t in fold.train} & {t.flow.capture for t in fold.judge}


@few
@given(st.lists(tracked, min_size=1, max_size=30))
def test_no_application_is_trained_on_and_judged_nor_its_captures(tracks: list[Track]) -> None:
    for fold in split.folds(tracks, "application"):
        assert {t.flow.application for t in fold.judge} == {fold.name}
        assert fold.name not in {t.flow.application for t in fold.train}
        assert not {t.flow.capture for t in fold.train} & {t.flow.capture for t in fold.judge}


def test_each_flow_is_judged_once() -> None:
    tracks = [track(80, capture=str(n), application=str(n % 7)) for n in range(40)]
    for by in ("capture", "application"):
        judged = [t for fold in split.folds(tracks, by) for t in fold.judge]
        assert sorted(t.flow for t in judged) == sorted(t.flow for t in tracks)


def test_a_rare_class_is_in_every_fold() -> None:
    rare = [track(80, class_="game", capture=f"g{n}") for n in range(10)]
    common = [track(900, class_="web", capture=f"w{n}") for n in range(90)]
    for fold in split.folds([*common, *rare], "capture"):
        assert sum(t.label == "realtime" for t in fold.judge) == 1
        assert len(fold.judge) == 10


@pytest.mark.parametrize(
    ("proto", "port", "name"),
    [
        ("udp", 27960, "realtime"),
        ("udp", 443, "other"),
        ("udp", 53, "other"),
        ("udp", 5353, "other"),
        ("udp", 1900, "other"),
        ("tcp", 22, "other"),
    ],
)
def test_the_one_line(proto: str, port: int, name: str) -> None:
    assert one_line(track(80, proto=proto, port=port).flow) == name


def test_a_flow_is_what_most_of_its_windows_are() -> None:
    tracks = [track(80, 80, 900), track(80, 900, 900), track(80, 900), track()]
    given_ = [verdict.majority for verdict in judge(tree(), Recipe(protocol="all"), tracks)]
    assert given_ == ["realtime", "other", "other", "other"]


def test_scores_by_hand() -> None:
    """Three real-time flows, one missed; two others, one of them taken for real time."""
    long = [80] * 5
    tracks = [
        track(*long),
        track(900, *long),
        track(*[900] * 5),
        track(*long, class_="bulk"),
        track(*[900] * 5, class_="web", proto="tcp", port=443),
        track(900, class_="web", proto="tcp", port=443),  # too short to fill a queue
    ]
    result = scores(judge(tree(), Recipe(protocol="all"), tracks))
    whole = result.beside[0]
    assert (whole.flows, whole.least_packets) == ("all", 100)
    assert whole.tree.counts == {
        ("realtime", "realtime"): 2,
        ("realtime", "other"): 1,
        ("other", "realtime"): 1,
        ("other", "other"): 1,
    }
    assert whole.tree.precision("realtime") == pytest.approx(2 / 3)
    assert whole.tree.recall("realtime") == pytest.approx(2 / 3)
    assert whole.tree.recall("other") == pytest.approx(1 / 2)
    assert whole.tree.f1("realtime") == pytest.approx(2 / 3)
    assert whole.baseline.f1("realtime") == pytest.approx(6 / 7)
    assert sum(result.beside[1].tree.counts.values()) == 4  # of UDP
    assert sum(result.beside[2].tree.counts.values()) == 6  # of any length


def test_a_long_flow_is_long_by_all_its_packets() -> None:
    """Of 110 packets, the last 30 fill no window."""
    tracks = [track(80, 80, 80, 80, packets=110)]
    whole = scores(judge(tree(), Recipe(protocol="all"), tracks)).beside[0]
    assert whole.least_packets == 100
    assert sum(whole.tree.counts.values()) == 1


def test_the_first_right_decision() -> None:
    speed = scores(
        judge(tree(), Recipe(protocol="all"), [track(80), track(900, 900, 80), track(900)])
    ).speed
    assert speed
    assert (speed.flows, speed.never) == (2, 1)
    assert (speed.packets, speed.seconds) == (40, 1.0)


def test_a_window_gives_priority_to_what_follows_it() -> None:
    uplink = scores(
        judge(tree(), Recipe(protocol="all"), [track(80, 900, 80, 80, class_="bulk")])
    ).uplink
    assert [(row.name, row.bytes_, row.favoured) for row in uplink] == [
        ("all", 22_800, 19_600),
        ("bulk", 22_800, 19_600),
    ]


def test_applications_count_their_windows() -> None:
    tracks = [track(80, 80, 80, 900), track(900, 900, application="zoom", class_="vconf")]
    result = scores(judge(tree(), Recipe(protocol="all"), tracks))
    assert [(a.name, a.right_windows, a.right_flows) for a in result.applications] == [
        ("openarena", 0.75, 1.0),
        ("zoom", 0.0, 0.0),
    ]
    assert result.recall_of_applications == pytest.approx(0.375)


def test_rows_and_tables_tell_of_a_set_without_one_class() -> None:
    result = scores(judge(tree(), Recipe(protocol="all"), [track(900, class_="web")]))
    assert {row["what"] for row in telling.rows(result)} >= {"score", "application"}
    assert list(telling.sentences(result)) == []
    assert all(len(set(map(len, table))) == 1 for table in telling.tables(result))
