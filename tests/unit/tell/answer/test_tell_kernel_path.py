# SPDX-License-Identifier: Apache-2.0
"""The path of one packet in print: tables, tree, bars, page, flame graph files."""

from dataclasses import replace as changed
from pathlib import Path

import builder
import drawn
import pytest
import traveled
from command import gatemark
from msgspec.structs import replace

from gatemark.judge.judgement import Judgement
from gatemark.judge.point.path import OTHER
from gatemark.store.directory import RunDirectory
from gatemark.store.record import Call
from gatemark.tell import page, terminal
from gatemark.tell.answer import kernel_path
from gatemark.tell.chart import packet
from gatemark.tell.export import folded
from gatemark.tell.group import together
from gatemark.tell.words.table import NONE

ARMS = [arm.name for arm in traveled.ARMS]


@pytest.fixture(scope="module")
def judged() -> Judgement:
    return drawn.source("traveled").judgement


def test_each_path_has_a_line_with_netfilters_share(judged: Judgement) -> None:
    rows = kernel_path.summary(judged).rows
    assert [row[0] for row in rows] == [ARMS[0], ARMS[0], ARMS[1], ARMS[1]]
    absent, tracked = rows[0], rows[2]
    assert (absent[5], absent[6]) == ("16", "0.0")
    assert (tracked[5], tracked[6]) == ("19", "10.5")


def test_arms_stand_side_by_side_by_subsystem(judged: Judgement) -> None:
    first, second = kernel_path.by_subsystem(judged)
    assert first.head == ("subsystem", *ARMS)
    cells = {row[0]: row[1:] for row in first.rows}
    assert cells["netfilter and conntrack"] == (NONE, "102")
    assert cells["all"][1] == kernel_path.count(judged.travels[2].total)
    assert first.caption != second.caption
    assert list(cells)[-2:] == [OTHER, "all"]


def test_what_an_arm_runs_more_is_told_against_the_first(judged: Judgement) -> None:
    made = kernel_path.more(judged, most=1)
    assert [table.rows[0] for table in made] == [("nf_conntrack_in", "+90", "+1")] * 2
    assert made[0].rows[1] == ("2 other functions", "+72", "+2")


def test_the_tree_has_what_the_packet_passes(judged: Judgement) -> None:
    lines = kernel_path.lines(judged.travels[0])
    assert [line[23:] for line in lines[2:6]] == [
        "pcnet32_interrupt",
        "net_rx_action",
        "  pcnet32_poll",
        "    __netdev_alloc_skb",
    ]
    assert lines[4].split() == ["100", "405", "pcnet32_poll"]
    assert not any("__bzero" in line for line in lines)
    assert lines[1].strip() == "2  (out of idle: 1 call)"
    assert lines[-1].strip() == "55  (back to idle: 2 calls)"


def test_a_deep_tree_is_cut_and_says_so(judged: Judgement) -> None:
    lines = kernel_path.lines(judged.travels[0], deep=2)
    assert lines[4].endswith("  pcnet32_poll  (5 more below)")
    few = kernel_path.lines(judged.travels[0], most=3)
    assert few[-2] == "... and 5 lines more, whole in the page"


def test_the_terminal_shows_the_first_and_the_longest(judged: Judgement) -> None:
    assert [one.arm for one in kernel_path.chosen(judged)] == ARMS
    run = traveled.run(traveled.trials())
    text = terminal.answer(builder.source(run, [], judged), None, whole=True)
    assert text.count("Functions that the packet passes") == 2
    assert "no-ceiling" not in text
    assert "few-repeats" not in text


def test_bars_add_up_to_what_is_told() -> None:
    figure = drawn.figure("traveled", "subsystems")
    for end in figure.extra[f"{figure.name}-all"]:
        parts = [row for row in figure.rows if row["key"] == end["key"]]
        assert sum(float(row["amount"] or 0) for row in parts) == end["amount"]


def test_the_page_has_each_tree_and_table() -> None:
    text = drawn.page("traveled")
    for one in drawn.source("traveled").judgement.travels:
        assert f'id="{kernel_path.anchor(one)}"' in text
        assert f'id="{kernel_path.anchor(one)}-functions"' in text
    assert "__bzero &times; 3" in text


def test_runs_side_by_side_keep_their_paths() -> None:
    both = [changed(drawn.source("traveled"), label=letter) for letter in "AB"]
    found = together.together(both).judgement.travels
    assert {one.arm.partition(":")[0] for one in found} == {"A", "B"}


def test_collapsed_stacks_add_up(judged: Judgement) -> None:
    for one in judged.travels:
        lines = folded.export(one).decode().splitlines()
        assert sum(int(line.rpartition(" ")[2]) for line in lines) == one.total
        assert all(line.count(" ") == 1 or line.startswith("(") for line in lines)


def test_a_file_for_each_path_is_written_into_the_runs_directory(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "run", traveled.run(traveled.trials()))
    for record in traveled.trials():
        directory.append(record)
    done = gatemark("export", str(directory.path), "--format", "folded")
    written = [Path(line) for line in done.out.splitlines()]
    assert len(written) == 4
    assert {path.parent for path in written} == {directory.folded.path}
    assert b"ip_forward;pcnet32_start_xmit 70" in written[0].read_bytes()


def test_a_user_may_name_the_parts(tmp_path: Path) -> None:
    directory = RunDirectory.create(tmp_path / "run", traveled.run(traveled.trials()))
    for record in traveled.trials():
        directory.append(record)
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'schema = "gatemark.subsystems/1"\n[[subsystem]]\nname = "Everything"\npatterns = ["*"]\n'
    )
    done = gatemark("show", "--all", str(directory.path), "--subsystems", str(mine))
    assert "Everything" in done.out
    assert "netfilter and conntrack" not in done.out


def test_names_of_functions_are_escaped() -> None:
    source = drawn.source("traveled")
    travels = (replace(source.judgement.travels[0], calls=(Call("<script>", 0, 1),)),)
    shown = changed(source, judgement=replace(source.judgement, travels=travels))
    assert "&lt;script&gt;" in page.render([shown])


def test_gateways_that_count_and_that_sample_have_an_axis_each(judged: Judgement) -> None:
    sampled = [replace(travel, unit="ns") for travel in judged.travels]
    both = replace(judged, travels=(*judged.travels, *sampled))
    figures = drawn.every(packet.SUBSYSTEMS, packet.paths(both))
    assert [figure.columns["amount"] for figure in figures] == ["instructions", "ns"]
    assert len({figure.name for figure in figures}) == 2
    (figure,) = drawn.every(packet.SUBSYSTEMS, packet.paths(judged))
    assert [len(figure.rows) for figure in figures] == [len(figure.rows)] * 2
