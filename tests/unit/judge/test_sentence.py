# SPDX-License-Identifier: Apache-2.0
"""The answer of a run: what is told, of which points, and in which words."""

from typing import Any

from msgspec.structs import replace

from gatemark.judge.judgement import Limit, PointResult
from gatemark.judge.math.interval import Interval
from gatemark.judge.subject import Subject
from gatemark.store.record import Definition, Scalar
from gatemark.tell.sentence import answer as sentence
from gatemark.tell.sentence.answer import answered

from .conftest import Trial, run

UDP = Definition(path="route", frame_bytes=64)
TCP = Definition(path="nat", l4="tcp", quantity="goodput", write_bytes=8192)


def point(
    definition: Definition = UDP,
    value: float = 20_000.0,
    limit: Limit = "cpu",
    values: dict[str, float] | None = None,
    **levels: Scalar,
) -> PointResult:
    seen = values or {definition.headline: value}
    return PointResult(
        subject=Subject(
            plan="p",
            arm=definition.setup,
            setup=definition.setup,
            point=levels,
            definition=definition,
        ),
        values={name: Interval(x, x, x, 6, 0.97) for name, x in seen.items()},
        limit=limit,
        why="",
        at_least=limit == "tester",
        invalid=0,
    )


def answer(*points: PointResult) -> str:
    nothing = answered(run(), ())
    text = sentence.answer(run(), (), replace(nothing, points=points))
    return text.removeprefix("A namespace gateway ")


def of(path: str = "route", *features: str, **fields: Any) -> Definition:
    return replace(UDP, path=path, features=features, **fields)


def test_goodput_is_told_before_packets() -> None:
    text = "NATs 94.0 Mbit/s of TCP goodput; its CPU is the bottleneck."
    assert answer(point(), point(TCP, 94e6)) == text


def test_later_rates_of_goodput_name_their_unit() -> None:
    other = point(replace(TCP, path="route"), 95e6, "tester")
    assert answer(point(TCP, 94e6), other) == (
        "NATs 94.0 Mbit/s of TCP goodput and routes ≥ 95.0 Mbit/s; its CPU is the bottleneck "
        "(nat), the tester is the bottleneck (route)."
    )


def test_the_largest_write_and_the_smallest_frame_lead() -> None:
    small = point(replace(TCP, write_bytes=1024), 99e6)
    assert answer(small, point(TCP, 94e6)).startswith("NATs 94.0 Mbit/s")
    assert answer(point(of(frame_bytes=512)), point(value=10.0)).startswith("routes 10 packets/s")


def test_up_leads_before_down_and_both() -> None:
    ways = [point(of(direction=way), rate) for way, rate in (("both", 9), ("down", 8), ("up", 7))]
    assert answer(*ways).startswith("routes 7 packets/s of 64-byte frames (")
    assert answer(*ways[:2]).startswith("routes 8 packets/s of 64-byte frames (")
    assert "from WAN to LAN" in answer(*ways[:2])
    assert "both ways together" in answer(ways[0])


def test_an_endpoint_does_so_itself() -> None:
    verbs = {"send": "sends", "receive": "receives", "both": "sends and receives", "up": "ends"}
    answers = {way: answer(point(of("endpoint", direction=way), 5)) for way in verbs}
    assert {way: text.partition(" 5 packets/s")[0] for way, text in answers.items()} == verbs


def test_features_stand_with_the_verb() -> None:
    assert answer(point(of("nat", "conntrack", "filter:100"))).startswith(
        "NATs with conntrack + filter:100 20.0 k packets/s"
    )
    assert answer(point(of("tunnel"))).startswith("carries by tunnel 20.0 k packets/s")


def test_four_setups_are_named_and_the_others_counted() -> None:
    paths = ("route", "nat", "switch", "a", "b", "c")
    text = answer(*(point(of(path), 10.0 + i) for i, path in enumerate(paths)))
    assert text.startswith("routes 10 packets/s of 64-byte frames (6.72 kbit/s on the wire), ")
    assert "NATs 11, bridges 12, carries by a 13 and has 2 more setups measured;" in text


def test_of_a_setup_the_highest_rate_is_told() -> None:
    assert answer(*(point(value=value) for value in (5, 7, 6))).startswith("routes 7 packets/s")


def test_a_search_tells_the_loss_that_it_allowed() -> None:
    strict = of(quantity="throughput", loss_criterion=0.0)
    loose = point(replace(strict, loss_criterion=0.005), 9.0)
    assert "with no loss" in answer(loose, point(strict, 8.0))
    assert answer(loose, point(strict, 8.0)).startswith("routes 8 packets/s")
    assert "with at most 0.5 % loss" in answer(loose)


def test_connections_are_counted_in_their_own_unit() -> None:
    held = point(replace(TCP, quantity="concurrent connections"), 65_000)
    other = point(replace(TCP, path="route", quantity="concurrent connections"), 70_000)
    assert answer(held, other).startswith("NATs 65.0 k connections and routes 70.0 k;")


def test_instructions_are_told_where_nothing_else_was_measured() -> None:
    counted = replace(UDP, quantity="instructions")
    plain = point(counted, 1500)
    text = "executes 1500 instructions to route a packet of 64 bytes"
    assert answer(plain) == f"{text}."
    assert answer(plain, point(replace(counted, path="nat"), 2100)) == f"{text}; nat 2100."
    sent = point(replace(counted, path="endpoint", direction="send", frame_bytes=None), 900)
    assert answer(sent) == "executes 900 instructions a packet that it sends."
    assert answer(plain, point(of("nat"))).startswith("NATs 20.0 k packets/s")


def test_a_tool_stands_for_itself_only_where_nothing_of_ours_is() -> None:
    tool = point(of(driver="iperf3"), 30_000.0)
    assert answer(tool, point()).startswith("routes 20.0 k packets/s")
    assert "as iperf3 measures it" in answer(tool)


def test_delays_name_their_rate_once_where_it_is_the_same() -> None:
    def timed(path: str, delay_ns: float, rate: float) -> PointResult:
        seen = {"delay_p50_ns": delay_ns, "offered_pps": rate}
        return point(of(path), values=seen, share=0.5)

    slow, fast = timed("route", 30_000, 1000), timed("nat", 40_000, 1000)
    assert answer(slow, fast) == (
        "takes 30 µs to route a packet and 40 µs to NAT a packet at 1.00 k packets/s "
        "(median, one way)."
    )
    assert answer(slow, timed("nat", 40_000, 2000)) == (
        "takes 30 µs to route a packet at 1.00 k packets/s and 40 µs to NAT a packet "
        "at 2.00 k packets/s (median, one way)."
    )
    assert answer(slow, timed("route", 50_000, 3000)).startswith("takes 50 µs to route a packet")


def test_behind_a_rate_stands_what_else_was_searched_for() -> None:
    rate = point(replace(UDP, quantity="throughput"), 30_000.0)
    burst = replace(UDP, quantity="burst")
    passed = [
        point(burst, values={"burst_packets": 298.0}),
        point(burst, values={"burst_packets": 280.0}),
        point(replace(burst, path="nat"), values={"burst_packets": 310.0}, limit="tester"),
    ]
    said = "routes 30.0 k packets/s of 64-byte frames (20.2 Mbit/s on the wire) with no loss; "
    more = "Of a burst it passes 298 (route) and \N{GREATER-THAN OR EQUAL TO} 310 (nat) packets"
    assert answer(rate, *passed) == f"{said}its CPU is the bottleneck. {more} with none lost."
    late = {"delay_p50_ns": 35_000.0, "offered_pps": 27_000.0}
    at = "It takes 35 µs to route a packet at 27.0 k packets/s (median, one way)."
    assert answer(rate, point(values=late, share=0.9)).endswith(f"bottleneck. {at}")


def test_the_queue_of_a_line_is_not_the_gateways_time() -> None:
    def lined(path: str, delay_ns: float, line: str) -> PointResult:
        seen = {"delay_p50_ns": delay_ns, "offered_pps": 50.0}
        return point(of(path, line=line), values=seen, share=0.5)

    slow, shaped = lined("route", 3e6, "1 Mbit/s"), lined("nat", 5e6, "1 Mbit/s")
    assert answer(slow, lined("route", 1e6, "15 Mbit/s"), shaped) == (
        "Over a line (1 Mbit/s) a packet takes 3 ms through route and 5 ms through nat "
        "(median, one way)."
    )


def test_what_of_a_capture_was_replayed_is_said_once() -> None:
    share = "Replayed: 55 % of the packets and 1 % of the bytes of home.pcap; left out: 18 too long"
    notes = (share, share, "2 packets are filled up")
    records = [replace(Trial().record(), notes=notes) for _ in range(2)]
    text = sentence.answer(run(), records, answered(run(), ()))
    assert text.count(share) == 1
    assert text.endswith(f" {share}.")
    assert "filled up" not in text
