# SPDX-License-Identifier: Apache-2.0
"""OpenMetrics: its own strict parser reads it, with types, units and an end."""

from types import ModuleType

import builder
import estimated
import pytest
import stacked
import studies
import traveled
from msgspec.structs import replace
from prometheus_client import Metric
from prometheus_client.openmetrics import parser

from gatemark.report.export import openmetrics, prometheus
from gatemark.report.group.source import Source
from gatemark.stats.judge import judge

RUN = builder.run()
FIRST = Source(run=RUN, records=builder.trials(), judgement=builder.judgement(), label="first")


def parse(text: str) -> list[Metric]:
    return list(parser.text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


def families(*sources: Source) -> dict[str, Metric]:
    return {family.name: family for family in parse(openmetrics.export(sources).decode())}


def test_every_sample_is_that_of_the_older_format() -> None:
    text = prometheus.export([FIRST]).decode().splitlines()
    lines = openmetrics.export([FIRST]).decode().splitlines()
    assert [x for x in lines if x[0] != "#"] == [x for x in text if x[0] != "#"]


def test_its_own_parser_reads_the_type_and_unit() -> None:
    family = families(FIRST)["gatemark_delay_p50_seconds"]
    assert (family.type, family.unit) == ("gauge", "seconds")
    assert family.documentation.startswith("Median one-way delay")


def test_what_tells_by_its_labels_is_an_info() -> None:
    made = families(FIRST)
    assert [name for name, family in made.items() if family.type == "info"] == [
        "gatemark_run",
        "gatemark_limit",
    ]


def test_every_other_metric_has_a_unit() -> None:
    made = families(FIRST).values()
    assert [f.name for f in made if f.type != "info" and not f.unit] == []


@pytest.mark.parametrize("made", [stacked, studies, traveled, estimated], ids=lambda m: m.__name__)
def test_every_kind_of_run_can_be_read(made: ModuleType) -> None:
    assert len(families(made.source())) > 4


def test_it_ends_so_that_a_cut_is_seen() -> None:
    text = openmetrics.export([FIRST]).decode()
    assert text.endswith("\n# EOF\n")
    with pytest.raises(ValueError, match="EOF"):
        parse(text.removesuffix("# EOF\n"))


def test_several_runs_are_one_document() -> None:
    second = replace(RUN, run="second")
    other = Source(run=second, records=(), judgement=FIRST.judgement, label="second")
    labels = [sample.labels["run"] for sample in families(FIRST, other)["gatemark_run"].samples]
    assert labels == ["first", "second"]


@pytest.mark.parametrize("odd", ['a"b', "a\\b", "a\nb", "a} 1\n# EOF"])
def test_a_hostile_name_stays_a_label(odd: str) -> None:
    records = [replace(trial, arm=odd) for trial in builder.trials()[:6]]
    source = Source(run=RUN, records=records, judgement=judge(RUN, records), label="odd")
    samples = families(source)["gatemark_received_packets_per_second"].samples
    assert {sample.labels["arm"] for sample in samples} == {odd}
