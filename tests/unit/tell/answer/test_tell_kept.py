# SPDX-License-Identifier: Apache-2.0
"""Kept packets: a page leads to the files of its run, and to nothing else."""

import builder
from msgspec.structs import replace

from gatemark.tell import html, page
from gatemark.tell.answer import trials


def test_a_trial_with_packets_is_a_line_with_a_link() -> None:
    first, second, *_ = builder.trials()
    records = [replace(first, packets="00000.pcapng"), second]
    assert [row[-1] for row in trials.kept(records).rows] == ["packets/00000.pcapng"]
    text = page.render([builder.source(records=records, judged=builder.nothing())])
    assert '<a href="packets/00000.pcapng">packets/00000.pcapng</a>' in text


def test_other_names_are_text() -> None:
    for name in ("packets/../../x", "javascript:alert(1)", "packets/00000.pcapng.html"):
        assert not html.FILE.fullmatch(name)
