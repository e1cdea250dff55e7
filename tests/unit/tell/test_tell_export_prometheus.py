# SPDX-License-Identifier: Apache-2.0
"""Prometheus' text: its own parser reads it, names and units are as its guide has them."""

import re
from collections.abc import Sequence
from dataclasses import replace as replace_source
from functools import cache

import builder
from msgspec.structs import replace

from gatemark.judge.fact import Fact
from gatemark.judge.finding import Diagnosis, Finding
from gatemark.judge.values import values
from gatemark.quantity import QUANTITIES
from gatemark.quantity import UNITS as ALL_UNITS
from gatemark.store.record import Record
from gatemark.tell.export import metric, openmetrics, prometheus
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

UNITS = ("seconds", "bytes", "ratio", "per_second", "segments", "info", "trials")
Labels = dict[str, str]


@cache
def first() -> Source:
    run, records = builder.run(), builder.trials()
    return Source(run=run, records=records, judgement=answered(run, records), label="first")


@cache
def own() -> dict[str, list[tuple[Labels, float]]]:
    """All samples of the first run."""
    return samples(first())


def samples(*sources: Source) -> dict[str, list[tuple[Labels, float]]]:
    from prometheus_client.parser import text_string_to_metric_families

    text = prometheus.export(sources).decode()
    families = text_string_to_metric_families(text)
    return {f.name: [(s.labels, s.value) for s in f.samples] for f in families}


def one(name: str, **labels: str) -> float:
    (found,) = (v for near, v in own()[name] if labels.items() <= near.items())
    return found


def test_the_text_parser_takes_openmetrics_and_loses_what_an_info_is() -> None:
    """docs/data.md names the format for each reader."""
    from prometheus_client.parser import text_string_to_metric_families

    text = openmetrics.export([first()]).decode()
    types = {f.name: f.type for f in text_string_to_metric_families(text)}
    assert types["gatemark_run_info"] == "unknown"


def test_every_value_is_there_with_both_ends() -> None:
    found = own()
    count = sum(len(s) for name, s in found.items() if not re.search("info|run_start|trials", name))
    assert count == 3 * len(values(first().judgement))


def test_no_two_samples_have_one_name() -> None:
    second = replace(builder.run(), run="second")
    found = samples(
        first(), Source(run=second, records=(), judgement=first().judgement, label="second")
    )
    every = [(name, *sorted(labels.items())) for name, s in found.items() for labels, _ in s]
    assert len(set(every)) == len(every)


def test_two_shapes_of_one_loss_are_two_samples() -> None:
    shares = (
        Finding(shape="stalls", fact=Fact(""), values={"share": 0.1}),
        Finding(shape="constant-share", fact=Fact(""), values={"share": 0.02}),
    )
    subject = first().judgement.knees[0].subject
    diagnoses = tuple(
        Diagnosis(subject=subject, direction=way, findings=shares) for way in ("up", "down")
    )
    source = replace_source(first(), judgement=replace(first().judgement, diagnoses=diagnoses))
    labels = [labels for labels, _ in samples(source)["gatemark_loss_share_ratio"]]
    assert len({tuple(sorted(own.items())) for own in labels}) == 4


def test_every_unit_has_a_base_unit() -> None:
    units = {*ALL_UNITS.values(), *(quantity.unit for quantity in QUANTITIES.values())}
    assert units <= metric.BASE.keys()


def test_names_have_their_letters_alone_and_end_in_a_base_unit() -> None:
    named = re.compile(rf"gatemark_[a-z0-9_]*({'|'.join(UNITS)})")
    assert [name for name in own() if not named.fullmatch(name)] == []


def test_the_help_is_the_words_of_the_methodology() -> None:
    lines = prometheus.export([first()]).decode().splitlines()
    assert (
        "# HELP gatemark_delay_p50_lo_seconds Median one-way delay (delay_p50_ns): "
        "lower end of the median's interval."
    ) in lines


def test_a_metric_is_told_once_and_is_a_gauge() -> None:
    lines = prometheus.export([first(), first()]).decode().splitlines()
    types = [line for line in lines if line.startswith("# TYPE ")]
    assert len(types) == len(set(types)) == len([x for x in lines if x.startswith("# HELP ")])
    assert all(line.endswith(" gauge") for line in types)


def test_bits_are_bytes_and_nanoseconds_are_seconds() -> None:
    place = {"plan": "quick/sweep", "arm": "nat", "direction": "up", "rate_pps": "60000"}
    point = next(
        p
        for p in first().judgement.points
        if {k: str(v) for k, v in p.point.items()} == {"direction": "up", "rate_pps": "60000"}
        and p.arm == "nat"
    )
    bits, delay = (point.values[name].value for name in ("received_l1_bps", "delay_p50_ns"))
    assert one("gatemark_received_l1_bytes_per_second", **place) == bits / 8
    assert one("gatemark_delay_p50_seconds", **place) == delay / 1e9


def test_the_lower_end_is_below_the_median() -> None:
    place = {"arm": "nat", "direction": "up"}
    low, middle, high = (
        one(f"gatemark_knee{end}_packets_per_second", **place) for end in ("_lo", "", "_hi")
    )
    assert low <= middle <= high


def test_the_run_says_when_and_how_much() -> None:
    assert one("gatemark_run_start_timestamp_seconds") == 1795277700
    assert one("gatemark_trials", status="ok") == len(builder.trials())


def test_what_limits_is_a_label_of_its_own_metric() -> None:
    limits = {labels["limit"] for labels, _ in own()["gatemark_limit_info"]}
    assert "cpu" in limits


def test_hostile_names_stay_labels() -> None:
    odd = ('a"b', "a\\b", "a\nb", "a} 1\ngatemark_x{")
    records = [
        replace(trial, arm=arm, trial=f"{trial.trial}/{at}")
        for at, arm in enumerate(odd)
        for trial in builder.trials()[:6]
    ]
    found = samples(source(records))
    arms = {labels["arm"] for labels, _ in found["gatemark_received_packets_per_second"]}
    assert arms == set(odd)


def source(records: Sequence[Record]) -> Source:
    run = builder.run()
    return Source(run=run, records=records, judgement=answered(run, records), label="odd")


def test_what_is_no_number_is_written_as_the_formats_have_it() -> None:
    numbers = [float(text) for text in ("nan", "inf", "-inf")]
    lines = [metric.line(metric.Sample(metric.TRIALS, {}, number), "a") for number in numbers]
    assert lines == ["a{} NaN\n", "a{} +Inf\n", "a{} -Inf\n"]


def test_no_factor_takes_the_place_of_the_run() -> None:
    records = [replace(trial, point={"run": 1, "9 lives": 2}) for trial in builder.trials()[:6]]
    found = samples(source(records))
    ((labels, _),) = found["gatemark_received_packets_per_second"]
    assert (labels["run"], labels["factor_9_lives"]) == ("odd", "2")


def test_a_run_without_a_time_is_told_without() -> None:
    run = replace(builder.run(), started="some day")
    found = samples(Source(run=run, records=(), judgement=answered(run, []), label="odd"))
    assert "gatemark_run_start_timestamp_seconds" not in found
