# SPDX-License-Identifier: Apache-2.0
"""A verdict: what is more, what is the same, and how long its comment may be."""

from gatemark.price.gateway import ARRIVES, DROPPED, Counted
from gatemark.price.traffic import kinds
from gatemark.price.verdict import MOST_LINES, Row, comment, verdict

EVERY = kinds(("ipv4", "ipv6"), ("tcp", "udp"))


def rows(more: int = 0, fate: str = ARRIVES) -> list[Row]:
    """Rows in which one kind takes so many more, or comes to another end."""
    made = []
    for at, kind in enumerate(EVERY):
        old = Counted(kind, ARRIVES, {5000: 5}, {"nft_do_chain": 900})
        by, end = (more, fate) if at == 1 else (0, ARRIVES)
        made.append(Row(kind, old, Counted(kind, end, {5000 + by: 5}, {"nft_do_chain": 900 + by})))
    return made


def test_a_planted_change_of_twenty_is_found_in_one_boot() -> None:
    is_worse, sentence = verdict(rows(20), 0.0, same_boot=True)
    assert is_worse
    assert "LAN to WAN, established (ipv4), takes 20 instructions more (+0.40 %)" in sentence
    (row,) = [row for row in rows(20) if row.difference]
    assert row.functions == [("nft_do_chain", 20)]


def test_what_is_the_same_is_silent() -> None:
    assert verdict(rows(), 0.0, same_boot=True)[1].startswith("NO CHANGE")
    assert verdict(rows(3), 0.0, same_boot=False)[1].startswith("NO CHANGE")  # a boot's own


def test_less_is_no_regression() -> None:
    assert verdict(rows(-40), 0.01, same_boot=True) == (
        False,
        "BETTER: LAN to WAN, established (ipv4), takes 40 instructions fewer (-0.80 %)",
    )


def test_another_end_is_worse_than_any_number() -> None:
    is_worse, sentence = verdict(rows(-40, DROPPED), 1.0, same_boot=True)
    assert is_worse
    assert sentence.startswith("CHANGED: LAN to WAN, established (ipv4) is dropped")


def test_a_comment_has_at_most_thirty_lines_and_no_mark_of_a_files_name() -> None:
    made = rows(20)
    lines = comment(("a|b\x1b[2J.nft", "c`d.nft"), made, verdict(made, 0, same_boot=True)[1], "how")
    assert len(lines) <= MOST_LINES
    assert not any("\x1b" in line for line in lines)
