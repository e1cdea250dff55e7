# SPDX-License-Identifier: Apache-2.0
"""Studies: which points make a curve or bars, what their titles say, what is published beside."""

from typing import Any

import builder
import drawn
import pytest
import studies
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.tell.about import condition
from gatemark.tell.answer import payload, rates
from gatemark.tell.card import cards
from gatemark.tell.chart import published, size
from gatemark.tell.chart.figure import Figure, Row
from gatemark.tell.group import cost, line, study
from gatemark.tell.words import number, traffic


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return studies.judgement()


@pytest.fixture(scope="module")
def figures() -> dict[str, Figure]:
    every = drawn.figures("studies")
    assert len({figure.name for figure in every}) == len(every)
    return {figure.name: figure for figure in every}


def test_sizes_make_a_curve_and_paths_make_bars(judged: Judgement) -> None:
    found = {one.plan: one.shape for one in study.studies(judged, studies.plans())}
    assert found == {
        "studies/paths": "bars",
        "studies/blocks": "curve",
        "studies/datagrams": "curve",
        "studies/lengths": "bars",
    }


def test_a_plan_may_ask_for_another_figure(judged: Judgement) -> None:
    asked = [replace(plan, figure="bars") for plan in studies.plans()]
    assert {one.shape for one in study.studies(judged, asked)} == {"bars"}


def test_udp_at_one_size_stays_ranked_by_packets() -> None:
    assert study.studies(builder.judgement()) == []
    assert len(study.singles(builder.judgement())) == len(builder.PLAIN)


def test_the_twin_is_compared_and_not_drawn(judged: Judgement, figures: dict[str, Figure]) -> None:
    assert all("A/A" not in str(row["setup"]) for row in figures["bars-studies-paths"].rows)
    assert any("A/A" in row[0] for row in payload.comparisons(judged).rows)


def test_rows_of_a_curve_are_the_points(judged: Judgement, figures: dict[str, Figure]) -> None:
    figure = figures["size-studies-blocks"]
    mine = [p for p in judged.points if p.plan == "studies/blocks"]
    rows = {(r["direction"], r["arm"], r["size_bytes"]): r for r in figure.rows}
    assert len(rows) == len(mine)
    for point in mine:
        name = traffic.streams(int(point.point["streams"]))
        row = rows[point.definition.direction, name, point.point["write_bytes"]]
        goodput = point.values["goodput_bps"]
        assert (row["payload_bps"], row["payload_bps_lo"]) == (goodput.value, goodput.lo)


def test_titles_say_the_finding(figures: dict[str, Figure]) -> None:
    titles = {name: figure.title for name, figure in figures.items()}
    cpus = [titles.pop(name) for name in list(titles) if name.startswith("thread-")]
    assert len(cpus) == len({*cpus}) == len(studies.plans()) - 1
    assert titles == {
        "bars-studies-paths": "TCP, LAN to WAN: switch ≥ 93.4 Mbit/s, route 55.9 Mbit/s, "
        "nat 47.5 Mbit/s",
        "size-studies-blocks": "1 stream: the gateway sends 38.1 Mbit/s of TCP payload at best, "
        "24.8 Mbit/s with 8 KiB writes",
        "size-studies-blocks-share": "90 % of the plateau: TCP needs 32 KiB writes",
        "size-studies-datagrams": "The gateway sends 27.1 Mbit/s of UDP payload at best, "
        "2.30 Mbit/s with 100 B datagrams",
        "bars-studies-lengths": "TCP over IPv4, LAN to WAN, at best: route 52.8 Mbit/s, "
        "nat 44.7 Mbit/s",
        "change-studies-paths": "NAT costs 14.6 to 15.0 % against routing; "
        "bridging against routing: the tester was the bottleneck",
        "change-studies-lengths": "NAT costs 14.6 to 15.6 % against routing",
        "ceiling-tcp": "The tester alone moves at least 79.5 Mbit/s of TCP payload",
    }


def limited(judged: Judgement, *sizes: int) -> list[line.Line]:
    """The lines over writes, whose points of these sizes the tester limited."""
    points = [p for p in judged.points if p.plan == "studies/blocks"]
    return line.lines([replace(p, at_least=p.point["write_bytes"] in sizes) for p in points])


def test_a_title_tells_a_bound_of_the_tester_as_one(judged: Judgement) -> None:
    drawn = limited(judged, *studies.WRITES)
    assert line.title(drawn).endswith(
        "sends ≥ 37.9 Mbit/s of TCP payload at best, ≥ 24.4 Mbit/s with 8 KiB writes"
    )
    small = limited(judged, 8192)
    assert "sends 38.1 Mbit/s of TCP payload at best, ≥ 24.4 Mbit/s" in line.title(small)


def test_a_plateau_that_the_tester_limited_needs_at_least_a_size(judged: Judgement) -> None:
    most = limited(judged, max(studies.WRITES))
    assert line.share_title(most) == "90 % of the plateau: TCP needs ≥ 32 KiB writes"
    every = limited(judged, *studies.WRITES)
    assert line.share_title(every) == "90 % of the plateau: TCP needs ≥ 1 KiB writes"


def test_a_share_is_of_the_median_at_the_largest_sizes(judged: Judgement) -> None:
    first = line.lines([p for p in judged.points if p.plan == "studies/blocks"])[0]
    assert first.plateau == sorted(first.values[-3:])[1]
    few = line.Line(first.name, first.factor, first.points[:4])
    assert few.plateau == sum(few.values[-2:]) / 2
    assert first.is_flat
    assert not few.is_flat


def test_a_line_that_carries_nothing_is_drawn_and_has_no_share(judged: Judgement) -> None:
    nothing = Interval(0.0, 0.0, 0.0, 6, 0.969)
    points = tuple(
        replace(p, values=p.values | {"goodput_bps": nothing}) if p.plan == "studies/blocks" else p
        for p in judged.points
    )
    silent = replace(judged, points=points)
    both = (studies.source(silent), blocks(silent))
    assert drawn.of(size.THROUGHPUT, size.payload(both)).name == "size-studies-blocks"
    assert size.PLATEAU(size.shares(both)) is None


def test_what_is_published_far_away_is_left_to_the_table(figures: dict[str, Figure]) -> None:
    figure = figures["size-studies-blocks"]
    devices = {row["device"] for row in figure.extra[f"{figure.name}-published"]}
    assert devices == {"WRT54GL", "TL-WR1043ND"}
    assert "RouterStation Pro are too far from ours" in figure.definition


@pytest.mark.parametrize(
    ("value", "is_near"), [(4.9, False), (5.0, True), (300.0, True), (301.0, False)]
)
def test_an_axis_is_not_stretched(value: float, is_near: bool) -> None:
    assert published.in_reach(value, 100.0) is is_near


def test_published_shares_are_of_their_own_device(figures: dict[str, Figure]) -> None:
    figure = figures["size-studies-blocks-share"]
    rows = figure.extra[f"{figure.name}-published"]
    found = {(row["device"], row["size_bytes"]): row["share"] for row in rows}
    assert found["WRT54GL", 131_072] == 1
    assert found["WRT54GL", 8192] == pytest.approx(23.8 / 39)


def test_a_near_ceiling_is_a_grey_line(judged: Judgement) -> None:
    def marks(slower: float) -> set[Any]:
        slow = tuple(_times(point, slower) for point in judged.ceilings)
        return {row["near"] for row in _ceiling_rows(replace(_routed(judged), ceilings=slow))}

    assert marks(1.0) == {""}
    assert marks(0.6) == {"yes"}


def test_what_the_gateway_itself_sends_has_no_ceiling_between_two_hosts(judged: Judgement) -> None:
    assert _ceiling_rows(_routed(judged)) != []
    assert _ceiling_rows(judged) == []


def _ceiling_rows(judged: Judgement) -> list[Row]:
    lines = size.payload((studies.source(judged, published=False), blocks(judged)))
    figure = drawn.of(size.THROUGHPUT, lines)
    return list(figure.extra[f"{figure.name}-ceiling"])


def blocks(judged: Judgement) -> study.Study:
    """The study by size of write."""
    every = study.studies(judged, studies.plans())
    return next(shown for shown in every if shown.plan == "studies/blocks")


def _routed(judged: Judgement) -> Judgement:
    """The same points by size as if hosts had sent them through the gateway."""
    ways = {"send": "up", "receive": "down"}
    points = [
        p.about(definition=replace(p.definition, path="route", direction=ways[way]))
        if (way := p.definition.direction) in ways and p.definition.l4 == "tcp"
        else p
        for p in judged.points
    ]
    return replace(judged, points=tuple(points))


def _times(point: PointResult, factor: float) -> PointResult:
    old = point.values["goodput_bps"]
    new = replace(old, value=old.value * factor, lo=old.lo * factor, hi=old.hi * factor)
    return replace(point, values=point.values | {"goodput_bps": new})


def test_a_paths_table_has_a_column_for_each_arm(judged: Judgement) -> None:
    made = payload.tables(studies.source(judged))[0]
    assert made.head == ("point", "route", "nat", "switch", "tester alone")
    assert made.rows[0][0] == "↑ up, TCP, 128 KiB writes"
    assert made.rows[0][2] == "47.5 (47.0\N{EN DASH}47.8) (CPU 100 %)"
    assert made.rows[0][3].startswith("≥ 93.8")


def test_every_point_shows_what_it_is_about(judged: Judgement) -> None:
    head = rates.points(judged).head
    for told in ("received, k packets/s", "goodput, Mbit/s", "retransmits", "RTT p50, ms"):
        assert told in head
    assert "goodput, Mbit/s" not in rates.points(builder.judgement()).head


def test_conditions_tell_what_tcp_depends_on(judged: Judgement) -> None:
    facts = dict(condition.conditions(studies.run(), studies.trials(), judged))
    assert facts["TCP"] == [
        "Congestion control cubic at both ends.",
        "Segments of 1448 bytes of payload.",
        "Writes of 64 B to 256 KiB.",
        "Socket buffers tuned by the kernel.",
    ]
    assert facts["Tester's ceiling"][0].endswith("80.3 Mbit/s to 112 Mbit/s")


def test_cards_tell_payload_by_path_and_what_nat_costs(judged: Judgement) -> None:
    found = {made.title: made for made in cards.cards(judged, studies.plans())}
    assert "nat: 47.5 (47.0\N{EN DASH}47.8) Mbit/s (CPU 100 %)" in found["TCP: route"].lines
    assert found["Cost of NAT"].value == "15.0 (14.3\N{EN DASH}15.6)"
    assert found["Bottleneck"].value == "CPU, tester"


def test_a_change_from_nothing_has_no_place_in_a_figure(judged: Judgement) -> None:
    first = judged.comparisons[0]
    change = replace(first.change, change=Interval(1e6, 1e6, 1e6, 6, 0.96))
    odd = replace(judged, comparisons=(replace(first, change=change),))
    assert cost.groups(odd) == []
    assert payload.comparisons(odd).rows[0][3] == number.DASH


@pytest.mark.parametrize(
    ("name", "level", "text"),
    [
        ("write_bytes", 8192, "8 KiB writes"),
        ("payload_bytes", 1450, "1450 B datagrams"),
        ("socket_buffer_bytes", 0, "socket buffers tuned by the kernel"),
        ("streams", 4, "4 streams"),
        ("kind", "tcp", "TCP"),
        ("rate_bps", 5e6, "offered 5 Mbit/s"),
        ("rate_pps", 0, "as fast as it goes"),
        ("direction", "send", "→ gateway sends"),
        ("family", "ipv6", "IPv6"),
        ("l4", "tcp", "TCP"),
        ("cap_pps", 10, "cap pps 10"),
        ("uploads.start_s", 1.5, "uploads: from 1.5 s on"),
    ],
)
def test_factors_in_words(name: str, level: str | float, text: str) -> None:
    assert traffic.factor(name, level) == text


def test_udp_at_one_cost_for_each_packet_is_a_straight_line(figures: dict[str, Figure]) -> None:
    """The made-up gateway sends as many datagrams of every size (Kofler, figure 2)."""
    told = figures["size-studies-datagrams"].definition
    assert "UDP over its datagram is a straight line to R² " in told
    assert "packets/s for all sizes" in told


def test_tcp_is_not_called_a_straight_line(figures: dict[str, Figure]) -> None:
    assert "straight line" not in figures["size-studies-blocks"].definition
