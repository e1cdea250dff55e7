# SPDX-License-Identifier: Apache-2.0
"""A word explained: its page is found by any of its names, its trials by what they measured."""

import builder
import pytest
import stacked
from msgspec.structs import replace

from gatemark import number
from gatemark.error import UsageError
from gatemark.tell.explain.entry import column, find, parsed
from gatemark.tell.explain.glossary import Glossary
from gatemark.tell.explain.place import behind
from gatemark.tell.explain.sample import Sample, measured, names, points, value
from gatemark.tell.explain.text import Behind

PAGE = """# Knee

- unit: packets/s
- also: saturation, breaking point
- formula: a formula that goes on
  in a second line
- type: `gatemark run quick` what it tells
- type: `gatemark show`

A text.

- a point of it
"""


def test_a_page_is_read_line_by_line() -> None:
    entry = parsed("knee", "quantity", PAGE)
    assert (entry.title, entry.line("unit")) == ("Knee", "packets/s")
    assert entry.line("formula") == "a formula that goes on in a second line"
    assert entry.listed("also") == ["saturation", "breaking point"]
    assert entry.commands == [("gatemark run quick", "what it tells"), ("gatemark show", "")]
    assert entry.text == "A text.\n\n- a point of it"


WORDS = {
    "latency": "delay",
    "jitter": "delay-variation",
    "PDV": "delay-variation",
    "packet loss": "loss",
    "ndr": "throughput",
    "pdr": "throughput",
    "throughput": "throughput",
    "pps": "received-rate",
    "time a packet": "packet-time",
    "fewer packets": "fewer-packets",
    "knee": "knee",
    "kept": "kept",
    "no loss to": "no-loss",
    "ceiling": "ceiling",
    "goodput": "goodput",
    "MDE": "minimum-detectable-effect",
    "bufferbloat": "queue-added",
    "delay_p99_ns": "delay",
    "up.delay_p99_ns": "delay",
    "step_packet_ns": "cost",
    "change_received_pps": "change",
    "loss_ratio_below_knee": "loss",
    "too_close_to_tell": "too-close-to-tell",
}


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_found_by_the_names_that_people_use(word: str) -> None:
    assert find(word).word == WORDS[word]


def test_a_misspelt_word_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"^nee: no such word; did you mean 'knee'"):
        find("nee")


def test_a_word_like_none_names_the_list() -> None:
    with pytest.raises(UsageError, match=r"no such word; `gatemark explain` lists all$"):
        find("xyzzyx")


HEADS = {
    ("p99, µs", "delays"): "delay",
    ("p99, ms", "queues"): "queue-added",
    ("CPU by soak, %", "loads"): "cpu-busy",
    ("p50 at 26 k", ""): "delay",
    ("Capacity, slowed: nat", "card"): "knee",
    ("At full speed: routing", "card"): "received-rate",
}


@pytest.mark.parametrize("head", HEADS)
def test_a_head_means_the_page_of_its_table(head: tuple[str, str]) -> None:
    entry = column(*head)
    assert entry is not None
    assert entry.word == HEADS[head]


def test_a_head_that_is_no_quantity_has_no_page() -> None:
    assert column("setup", "knees") is None


def test_a_quantity_has_the_trials_that_measured_it_by_point() -> None:
    quantity, samples = measured(points(builder.trials()), ["nonsense", "received_pps"])
    assert quantity == "received_pps"
    assert samples
    assert all(len(found.values) == len(found.trials) > 0 for found in samples)
    counted = {name for found in samples for name in found.trials}
    passes = {record.trial: record.pass_ for record in builder.trials()}
    assert {passes[name] for name in counted} == {"outside"}


def test_a_sweep_has_the_value_of_each_level() -> None:
    _, samples = measured(points(builder.trials()), ["received_pps"], ["rate_pps"])
    swept = next(found for found in samples if found.arm == "route")
    assert swept.along == "rate_pps"
    assert "rate_pps" not in swept.point
    assert list(swept.levels) == sorted(swept.levels)
    assert value(swept, "received_pps").endswith(
        f" k packets/s at rate_pps {', '.join(map(str, dict.fromkeys(swept.levels)))}"
    )


def test_a_trial_that_does_not_count_is_behind_nothing() -> None:
    invalid = [replace(record, status="invalid") for record in builder.trials()]
    assert measured(points(invalid), ["received_pps"]) == ("", [])


def test_a_quantity_of_a_direction_is_found_by_its_name() -> None:
    first = builder.trials()[0]
    owned = replace(first, pass_="outside", status="ok", values={"up.mos": 4.2})  # noqa: S106
    quantity, (found,) = measured(points([owned]), ["mos"])
    assert (quantity, found.values) == ("up.mos", (4.2,))


def made(trials: tuple[str, ...] = (), values: tuple[float, ...] = ()) -> Sample:
    return Sample("quick/sweep", "nat", {"rate_pps": 5000}, values, trials)


def test_names_of_repeats_stand_together() -> None:
    trials = tuple(f"quick/sweep/nat/5000/{repeat}/outside" for repeat in (3, 1, 2, 7))
    assert names(made(trials)) == ["quick/sweep/nat/5000/1…3,7/outside"]


def test_names_of_another_form_stand_as_they_are() -> None:
    assert names(made(("odd",))) == ["odd"]


def test_a_value_is_the_median_with_its_range() -> None:
    shown = value(made(values=(1000.0, 3000.0, 2000.0)), "received_pps")
    assert shown == "2.00 k packets/s (1.00 to 3.00)"


def test_a_value_that_never_differs_has_no_range() -> None:
    assert value(made(values=(0.5, 0.5)), "loss_ratio") == "50.0 %"


def test_a_bottleneck_has_the_points_that_it_held_back() -> None:
    judged, records = builder.judgement(), builder.trials()
    _, count, samples = behind(judged, points(records), find("cpu"), None)
    limits = [knee.limit for knee in judged.knees]
    limits += [point.limit for point in (*judged.ceilings, *judged.points)]
    assert count == limits.count("cpu") > 0
    assert all(found.trials and found.why for found in samples)


def test_of_many_points_the_first_are_told() -> None:
    _, count, samples = behind(builder.judgement(), points(builder.trials()), find("cpu"), 1)
    assert count > len(samples) == 1


def test_a_verdict_on_a_step_has_the_step() -> None:
    judged = stacked.judgement()
    _, count, samples = behind(judged, points(()), find("costs"), None)
    costs = [
        cost
        for ladder in judged.ladders
        for step in ladder.steps
        for cost in step.costs.values()
        if cost.verdict == "slower"
    ]
    assert count == len(samples) == len(costs) > 0


def test_a_word_that_the_run_does_not_have_has_nothing() -> None:
    assert behind(builder.nothing(), points(()), find("drift"), None) == ("", 0, [])


def glossary() -> Glossary:
    return Glossary(builder.source())


def test_a_page_has_the_words_that_stand_on_it_and_each_once() -> None:
    words = glossary()
    anchors = [words.head("knee, k packets/s", "knees"), words.word("cpu"), words.head("knee")]
    assert anchors == [
        "explain-quantity-knee",
        "explain-bottleneck-cpu",
        "explain-quantity-knee",
    ]
    assert [entry.word for entry in words.used.values()] == ["knee", "cpu"]


@pytest.mark.parametrize(
    ("cell", "head", "anchor"),
    [
        ("slower", "verdict", "explain-verdict-slower"),
        ("inconclusive, 12 repeats more", "verdict", "explain-verdict-inconclusive"),
        ("policer", "fault", "explain-verdict-loss-shape"),
        ("cpu", "setup", ""),
        (number.DASH, "bottleneck", ""),
    ],
)
def test_a_cell_is_explained_where_it_is_a_verdict(cell: str, head: str, anchor: str) -> None:
    assert glossary().cell(cell, head) == anchor


def test_a_sweep_without_other_factors_is_named_by_its_arm() -> None:
    alone = Sample("quick/sweep", "nat", {}, (1e3,), ("odd",), along="rate_pps", levels=(1000,))
    ((where, _),) = glossary().lines(Behind("first", "received_pps", 1, [alone]))
    assert where == "nat: 1.00 k packets/s at rate_pps 1000"


def test_what_is_behind_a_word_names_arm_value_and_trials() -> None:
    words = glossary()
    found = words.behind(find("knee"))
    assert words.count(found) == f"received_pps in {found.points} sweeps"
    (where, trials), *_ = words.lines(found)
    assert "packets/s" in where
    assert "/outside" in trials
