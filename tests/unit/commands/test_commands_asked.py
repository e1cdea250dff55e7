# SPDX-License-Identifier: Apache-2.0
"""What is asked of a station that has no slowdown: nothing is claimed to be slowed that is not."""

from pathlib import Path

import pytest

from gatemark.commands.option.asked import Asked, within
from gatemark.error import UsageError
from gatemark.station.ability import Ability

ROOT, ORDINARY = Ability(), Ability(slowdown=False)


def asked(name: str, variant: str = "", *settings: str) -> Asked:
    return Asked(name, None, variant, settings)


def slowdowns(one: Asked) -> set[int]:
    return {plan.gateway.slow_to_pps for plan in one.chosen()[1]}


@pytest.mark.parametrize("name", ["quick", "quick/sweep"])
def test_a_slowed_plan_is_measured_in_its_full_speed_variant(name: str) -> None:
    instead, notes = within(asked(name), ORDINARY, "netns")
    assert instead == asked(name, "full-speed")
    assert slowdowns(instead) == {0}
    assert notes == ("no slowdown here, as it needs root: the variant `full-speed` is measured",)


def test_a_slowdown_that_was_asked_for_is_not_claimed() -> None:
    instead, notes = within(asked("cost/ab", "", "gateway.slow_to_pps=20000"), ORDINARY, "netns")
    assert instead.settings == ("gateway.slow_to_pps=20000", "gateway.slow_to_pps=0")
    assert slowdowns(instead) == {0}
    assert notes == ("no slowdown here, as it needs root: measured with gateway.slow_to_pps=0",)


def test_a_virtual_machine_is_not_said_to_need_root() -> None:
    _, notes = within(asked("quick"), ORDINARY, "qemu")
    assert "root" not in notes[0]


def test_what_repeats_it_is_what_was_measured() -> None:
    instead, _ = within(asked("quick", "", "repeat.times=1"), ORDINARY, "netns")
    assert " ".join(instead.command(7)) == (
        "gatemark run quick --variant full-speed --set repeat.times=1 --seed 7"
    )


def test_what_is_not_slowed_is_measured_as_asked() -> None:
    for one in (
        asked("cost/ab"),
        asked("quick", "full-speed"),
        asked("quick/sweep", "", "gateway.slow_to_pps=0"),
        asked("rfc/ceiling", "", "gateway.slow_to_pps=20000"),
    ):
        assert within(one, ORDINARY, "netns") == (one, ())


@pytest.mark.parametrize("variant", ["", "full-speed"])
def test_with_a_slowdown_all_is_measured_as_asked(variant: str) -> None:
    assert within(asked("quick", variant), ROOT, "netns") == (asked("quick", variant), ())


def test_without_a_slowdown_the_rates_go_beyond_the_slowed_ones() -> None:
    (slowed,), (free,) = (asked("quick/sweep", v).chosen()[1] for v in ("", "full-speed"))
    assert max(map(float, free.sweep["rate_pps"])) > 5 * max(map(float, slowed.sweep["rate_pps"]))


def test_a_line_is_that_of_a_plan_that_has_one() -> None:
    over = Asked("delay/calls", None, "", ("workload.duration_s=20",), line="50/20")
    (plan,) = over.chosen()[1]
    assert plan.line
    assert (plan.line.down.rate_bps, plan.line.up.rate_bps) == (50e6, 20e6)
    assert plan.line.up.buffer_packets == 100  # the rest of it stays
    assert "--line 50/20" in " ".join(over.command(7))


def test_a_rate_that_a_plan_varies_is_its_own_and_that_is_said() -> None:
    over = Asked("delay/queues", None, "", (), line="50/20")
    before = Asked("delay/queues", None, "", ())
    assert over.chosen() == before.chosen()
    assert within(over, ROOT, "netns")[1] == (
        "--line is not the line of delay/queues, which varies its rate",
    )


def test_a_lines_rate_is_given_in_one_of_its_words() -> None:
    for key in ("line.rate_bps", "line.down.rate_bps", "line.up.rate_bps"):
        over = Asked("delay/calls", None, "", (f"{key}=2e6",), line="100/15")
        with pytest.raises(UsageError, match=f"--set {key} says what --line says; leave one out"):
            over.chosen()


def test_a_plan_without_a_line_is_as_it_was() -> None:
    over = Asked("quick", None, "", (), line="50/20")
    assert over.chosen() == asked("quick").chosen()


def test_a_flow_larger_than_the_line_names_the_option(tmp_path: Path) -> None:
    text = """
        schema = "gatemark.plan/1"
        title = "t"
        why = "w"
        reading = "r"
        setup.path = "nat"
        line.rate_bps = 20_000_000
        workload.rate_bps = 5_000_000
    """
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UsageError, match=r"^--line 10/1: mine: `rate_bps`"):
        Asked(str(tmp_path / "mine.toml"), None, "", (), line="10/1").chosen()
