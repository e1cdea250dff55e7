# SPDX-License-Identifier: Apache-2.0
"""What one packet made the gateway do: sorted by subsystem, its own travel cut out, compared."""

import pytest
import traveled
from msgspec.structs import replace

from gatemark.judge.change.reference import beside
from gatemark.judge.judgement import Part, Travel
from gatemark.judge.point.path import OTHER, Sorter, added, base, own_travel, travels
from gatemark.judge.point.tree import stacks, tree
from gatemark.store.record import Call, Counted
from gatemark.store.reference import published
from gatemark.store.subsystem import Subsystem

FEW = (
    Subsystem(name="idle", patterns=("do_idle", "wait*"), waits=True),
    Subsystem(name="thunks", patterns=("thunk*",), jumps=True),
    Subsystem(name="IP", patterns=("ip_*",), travels=True),
    Subsystem(name="all ip", patterns=("ip*",)),
)


@pytest.fixture(name="found", scope="module")
def judged() -> tuple[Travel, ...]:
    return traveled.judgement().travels


def of(found: tuple[Travel, ...], arm: str, payload: int) -> Travel:
    return next(one for one in found if (one.arm, one.point["payload_bytes"]) == (arm, payload))


@pytest.mark.parametrize(
    ("function", "subsystem"),
    [("ip_rcv", "IP"), ("ipt", "all ip"), ("do_idle", "idle"), ("do_idle2", OTHER)],
)
def test_the_first_pattern_that_fits_has_a_function(function: str, subsystem: str) -> None:
    assert Sorter(FEW).of(function) == subsystem


def test_nothing_is_lost_in_sorting(found: tuple[Travel, ...]) -> None:
    for one in found:
        assert sum(part.amount for part in one.subsystems.values()) == one.total
        assert sum(part.amount for part in (one.before, one.own, one.after)) == one.total


def test_subsystems_stand_in_the_order_of_their_file(found: tuple[Travel, ...]) -> None:
    names = [one.name for one in traveled.subsystems()]
    placed = [names.index(name) for name in found[0].subsystems if name != OTHER]
    assert placed == sorted(placed)


def test_what_no_pattern_fits_is_told(found: tuple[Travel, ...]) -> None:
    assert found[0].subsystems[OTHER] == Part(5, 1)
    assert found[0].unmatched == pytest.approx(5 / found[0].total)


def test_a_jump_is_no_call() -> None:
    parts = Sorter(FEW).parts({"thunk_rax": Part(3, 7), "ip_rcv": Part(4, 2)})
    assert parts == {"thunks": Part(3, 0), "IP": Part(4, 2)}


def test_the_travel_goes_from_the_interrupt_to_the_last_function_of_the_packet(
    found: tuple[Travel, ...],
) -> None:
    one = found[0]
    assert (one.calls[0].function, one.calls[-1].function) == ("handle_int", "made_up_thing")
    assert (one.before, one.after) == (Part(2, 1), Part(55, 2))


def test_a_travel_that_begins_below_no_interrupt_begins_with_itself() -> None:
    path = (Call("do_idle", 0, 1), Call("ip_rcv", 1, 1), Call("x", 2, 1), Call("do_idle", 0, 1))
    assert own_travel(path, Sorter(FEW)) == (1, 3)


def test_where_nothing_travels_all_is_the_travel() -> None:
    path = (Call("x", 0, 1), Call("do_idle", 0, 1))
    assert own_travel(path, Sorter(FEW)) == (0, 2)


def test_netfilters_share_is_of_its_own_functions_and_of_all_that_they_call(
    found: tuple[Travel, ...],
) -> None:
    tracked = of(found, "conntrack", 400)
    assert tracked.netfilter == Part(102, 2)
    assert tracked.beneath_netfilter == Part(162, 3)
    assert of(found, "netfilter absent", 400).netfilter == Part(0, 0)


def test_arms_are_compared_with_the_first_at_the_same_point(found: tuple[Travel, ...]) -> None:
    other = of(found, "conntrack", 1450)
    assert base(found, other) is of(found, "netfilter absent", 1450)
    assert base(found, of(found, "netfilter absent", 1450)) is None


def test_what_an_arm_runs_more_is_told_by_function(found: tuple[Travel, ...]) -> None:
    below, other = (of(found, arm.name, 400).functions for arm in traveled.ARMS)
    assert list(added(below, other)) == [
        ("nf_conntrack_in", Part(90, 1)),
        ("__siphash_aligned", Part(60, 1)),
        ("nf_hook_slow", Part(12, 1)),
    ]
    assert next(added(other, below)) == ("nf_conntrack_in", Part(-90, -1))


def test_a_trial_without_a_path_is_no_travel() -> None:
    records = [traveled.record(traveled.ARMS[0], 400, Counted(walks=1, lost=0, modes={"5": 1}))]
    assert traveled.judgement(records).travels == ()


def test_without_subsystems_there_are_no_travels() -> None:
    assert travels([], FEW) == ()


def test_time_is_told_as_time() -> None:
    path = (Call("ip_rcv", 0, 0, 700), Call("nf_hook_slow", 1, 0, 300))
    told = Counted(
        walks=1,
        lost=0,
        functions={"ip_rcv": (700, 1), "nf_hook_slow": (300, 1)},
        path=path,
        tracer="function_graph",
    )
    (one,) = traveled.judgement([traveled.record(traveled.ARMS[0], 400, told)]).travels
    assert (one.unit, one.total, one.netfilter) == ("ns", 1000, Part(300, 1))
    assert one.in_order


def test_samples_have_no_order() -> None:
    told = Counted(
        walks=9,
        lost=0,
        functions={"ip_rcv": (7, 0)},
        path=(Call("ip_rcv", 0, 0, 7),),
        tracer="perf",
    )
    (one,) = traveled.judgement([traveled.record(traveled.ARMS[0], 400, told)]).travels
    assert not one.in_order


def test_the_sentence_tells_both_ends_of_the_plan() -> None:
    told = traveled.judgement().sentence
    assert "in 16 calls to route one packet (netfilter absent); conntrack: " in told
    assert "in 19 calls, 11 % of them netfilter's." in told


def test_too_many_unnamed_functions_are_warned_of() -> None:
    told = Counted(
        walks=1, lost=0, functions={"what": (9, 1)}, path=(Call("what", 0, 9),), modes={"9": 1}
    )
    judged = traveled.judgement([traveled.record(traveled.ARMS[0], 400, told)])
    assert "unnamed-functions" in {warning.code for warning in judged.warnings}
    assert "unnamed-functions" not in {one.code for one in traveled.judgement().warnings}


def test_a_tree_has_what_called_what_with_sums() -> None:
    (root,) = tree(
        (Call("a", 0, 1), Call("b", 1, 2), Call("c", 2, 4), Call("d", 1, 8)), "instructions"
    )
    assert (root.own, root.whole, root.calls) == (1, 15, 4)
    assert [(node.function, node.whole) for node in root.inner] == [("b", 6), ("d", 8)]


def test_siblings_of_one_shape_are_folded() -> None:
    pair = (Call("b", 1, 2), Call("c", 2, 1))
    (root,) = tree(
        (Call("a", 0, 0), *pair, *pair, Call("b", 1, 5), Call("c", 1, 1)), "instructions"
    )
    assert [(node.function, node.times, node.whole) for node in root.inner] == [
        ("b", 2, 6),
        ("b", 1, 5),
        ("c", 1, 1),
    ]
    assert root.inner[0].inner[0].times == 2


def test_stacks_add_up_to_the_path() -> None:
    calls = traveled.path(400, tracked=True)
    found = stacks(calls, "instructions")
    assert sum(found.values()) == sum(call.instructions for call in calls)
    assert found["__r4k_wait", "handle_int", "plat_irq_dispatch"] == 8


@pytest.mark.parametrize(("alike", "shown"), [(50, 2), (1, 0)])
def test_a_path_stands_beside_the_studys_where_it_is_a_mode(alike: int, shown: int) -> None:
    counted = replace(traveled.counted(400, tracked=True), modes={"757": alike, "900": 1})
    record = traveled.record(traveled.ARMS[1], 400, counted)
    sent = replace(
        record.definition, path="endpoint", direction="send", features=("conntrack", "filter:10")
    )
    judged = traveled.judgement([replace(record, definition=sent)])
    found = [row for row in beside(judged, published()) if row.quantity.startswith("path_")]
    assert len(found) == shown
