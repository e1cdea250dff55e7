# SPDX-License-Identifier: Apache-2.0
"""Prometheus' text format 0.0.4, for the textfile collector of node_exporter."""

from collections.abc import Iterator, Sequence

from gatemark.tell.export.metric import Sample, families, line
from gatemark.tell.group.source import Source

SUFFIX = "_info"  # it knows no type for what tells by its labels: that is a gauge


def export(sources: Sequence[Source]) -> bytes:
    """All samples, those of one metric together, each metric with HELP and TYPE."""
    every = families(sources).values()
    return "".join(text for samples in every for text in _lines(samples)).encode()


def _lines(samples: Sequence[Sample]) -> Iterator[str]:
    family = samples[0].family
    name = f"{family.name}{SUFFIX}" if family.is_info else family.name
    yield f"# HELP {name} {' '.join(family.words.split())}\n"
    yield f"# TYPE {name} gauge\n"
    yield from (line(sample, name) for sample in samples)
