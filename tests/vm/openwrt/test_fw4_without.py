# SPDX-License-Identifier: Apache-2.0
"""OpenWrt's ruleset without a part of it: that part is gone, nothing else, and it comes back."""

import pytest

from gatemark.error import UnavailableError
from gatemark.gateway import fw4
from gatemark.plan.model import Arm
from vm.conftest import Booted, Stand

pytestmark = pytest.mark.long
LISTED = "nft -s list ruleset"
EMPTY = ("raw_prerouting", "raw_output", "mangle_prerouting", "mangle_input", "mangle_output")


@pytest.fixture
def box(openwrt_stand: Stand) -> Booted:
    return openwrt_stand.booted()


def chains(box: Booted) -> dict[str, str]:
    return dict(box.run(fw4.read(box.lab.gateway)).chains)


def less(box: Booted, part: str) -> tuple[dict[str, str], dict[str, str]]:
    """The chains with everything and without a part; then all is as it was."""
    setup, before = box.bench.setup, box.said(LISTED)
    box.run(setup.change(Arm(path="nat")))
    whole, listed = chains(box), box.said(LISTED)
    box.run(setup.change(Arm(path="nat", features=(f"fw4-without:{part}",))))
    partial = chains(box)
    box.run(setup.change(Arm(path="nat")))
    assert box.said(LISTED) == listed
    box.run(setup.undo())
    assert box.said(LISTED) == before
    return whole, partial


def test_a_base_chain_is_left_out(box: Booted) -> None:
    whole, partial = less(box, "mangle_forward")
    assert whole.pop("mangle_forward")
    assert partial == whole


def test_a_chain_that_rules_lead_to_is_emptied(box: Booted) -> None:
    whole, partial = less(box, "accept_to_wan")
    assert whole["accept_to_wan"] != partial["accept_to_wan"] == ""
    assert partial == whole | {"accept_to_wan": ""}


def test_one_rule_is_removed(box: Booted) -> None:
    whole, partial = less(box, "forward:1")
    first = whole["forward"].splitlines()[1]
    assert "ct state vmap" in first
    assert partial == whole | {"forward": whole["forward"].replace(f"{first}\n", "")}


def test_base_chains_without_a_rule_are_left_out(box: Booted) -> None:
    whole, partial = less(box, "empty")
    gone = whole.keys() - partial.keys()
    assert gone >= {*EMPTY}
    assert all(len(whole[name].splitlines()) == 1 for name in gone)


def test_everything_is_gone_and_one_rule_masquerades(box: Booted) -> None:
    setup, before = box.bench.setup, box.said(LISTED)
    box.run(setup.change(Arm(path="nat", features=("fw4-without:everything",))))
    listed = box.said(LISTED)
    box.run(setup.undo())
    assert "table inet fw4" not in listed
    assert listed.count("masquerade") == 1
    assert box.said(LISTED) == before


def test_a_chain_that_is_not_there_is_named(box: Booted) -> None:
    setup = box.bench.setup
    with pytest.raises(UnavailableError, match="fw4 has no chain forward with 99 rules"):
        box.run(setup.change(Arm(path="route", features=("fw4-without:forward:99",))))
    with pytest.raises(UnavailableError, match="fw4 has no chain nosuch on this path"):
        box.run(setup.change(Arm(path="route", features=("fw4-without:nosuch",))))
