# SPDX-License-Identifier: Apache-2.0
"""OpenMetrics: its own strict parser reads it, with types, units and an end."""

from functools import cache
from typing import TYPE_CHECKING

import builder
import drawn
import pytest
from msgspec.structs import replace

from gatemark.tell.export import openmetrics, prometheus
from gatemark.tell.group.source import Source
from gatemark.tell.sentence.answer import answered

if TYPE_CHECKING:
    from prometheus_client import Metric


@cache
def first() -> Source:
    return builder.source(label="first")


def parse(text: str) -> "list[Metric]":
    from prometheus_client.openmetrics import parser

    return list(parser.text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


def families(*sources: Source) -> "dict[str, Metric]":
    return {family.name: family for family in parse(openmetrics.export(sources).decode())}


def test_every_sample_is_that_of_the_older_format() -> None:
    text = prometheus.export([first()]).decode().splitlines()
    lines = openmetrics.export([first()]).decode().splitlines()
    assert [x for x in lines if x[0] != "#"] == [x for x in text if x[0] != "#"]


def test_its_own_parser_reads_the_type_and_unit() -> None:
    family = families(first())["gatemark_delay_p50_seconds"]
    assert (family.type, family.unit) == ("gauge", "seconds")
    assert family.documentation.startswith("Median one-way delay")


def test_what_tells_by_its_labels_is_an_info() -> None:
    made = families(first())
    assert [name for name, family in made.items() if family.type == "info"] == [
        "gatemark_run",
        "gatemark_limit",
    ]


def test_every_other_metric_has_a_unit() -> None:
    made = families(first()).values()
    assert [f.name for f in made if f.type != "info" and not f.unit] == []


@pytest.mark.parametrize("name", ["stacked", "studies", "traveled", "estimated"])
def test_every_kind_of_run_can_be_read(name: str) -> None:
    assert len(families(drawn.source(name))) > 4


def test_it_ends_so_that_a_cut_is_seen() -> None:
    text = openmetrics.export([first()]).decode()
    assert text.endswith("\n# EOF\n")
    with pytest.raises(ValueError, match="EOF"):
        parse(text.removesuffix("# EOF\n"))


def test_several_runs_are_one_document() -> None:
    second = replace(builder.run(), run="second")
    other = Source(run=second, records=(), judgement=first().judgement, label="second")
    labels = [sample.labels["run"] for sample in families(first(), other)["gatemark_run"].samples]
    assert labels == ["first", "second"]


def test_hostile_names_stay_labels() -> None:
    odd = ('a"b', "a\\b", "a\nb", "a} 1\n# EOF")
    records = [
        replace(trial, arm=arm, trial=f"{trial.trial}/{at}")
        for at, arm in enumerate(odd)
        for trial in builder.trials()[:6]
    ]
    run = builder.run()
    source = Source(run=run, records=records, judgement=answered(run, records), label="odd")
    samples = families(source)["gatemark_received_packets_per_second"].samples
    assert {sample.labels["arm"] for sample in samples} == set(odd)
