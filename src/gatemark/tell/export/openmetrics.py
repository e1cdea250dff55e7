# SPDX-License-Identifier: Apache-2.0
"""OpenMetrics 1.0 text: types, units, and an end that shows that it is whole."""

from collections.abc import Iterator, Sequence

from gatemark.tell.export.metric import Sample, escaped, families, line
from gatemark.tell.group.source import Source

END = "# EOF\n"


def export(sources: Sequence[Source]) -> bytes:
    """All samples, those of one metric together, each metric with TYPE, UNIT and HELP."""
    every = families(sources).values()
    return ("".join(text for samples in every for text in _lines(samples)) + END).encode()


def _lines(samples: Sequence[Sample]) -> Iterator[str]:
    family = samples[0].family
    yield f"# TYPE {family.name} {'info' if family.is_info else 'gauge'}\n"
    if family.unit:
        yield f"# UNIT {family.name} {family.unit}\n"
    yield f"# HELP {family.name} {escaped(family.words)}\n"
    name = f"{family.name}_info" if family.is_info else family.name
    yield from (line(sample, name) for sample in samples)
