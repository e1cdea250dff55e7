# SPDX-License-Identifier: Apache-2.0
"""What features make of what a gateway says: hooks, modules, CPUs, counters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gatemark.gateway.feature.netfilter_absent import registered, unloading
from gatemark.gateway.feature.offload import counted
from gatemark.gateway.feature.port.steering import mask, online, shown

NOTHING = {"hooks": "", "chains": "", "tables": "", "modules": ""}
HOOKS = """
family ip {
    hook prerouting {
        -0000000400 ipv4_conntrack_defrag [nf_defrag_ipv4]
         0000000000 chain inet own early [nf_tables]
    }
    hook input {
        +2147483647 nf_confirm [nf_conntrack]
    }
}
family bridge {
    hook forward {
         0000000000 br_nf_forward_ip [br_netfilter]
    }
}
"""
CHAINS = """
table inet fw4 {
    chain forward {
        type filter hook forward priority filter; policy drop;
    }
    chain accept_to_wan {
    }
}
"""
MODULES = """
nft_masq 16384 1 - Live 0x0
nft_ct 24576 0 - Live 0x0
nf_nat 57344 1 nft_masq, Live 0x0
nf_conntrack 188416 3 nft_masq,nft_ct,nf_nat, Live 0x0
nf_defrag_ipv4 16384 1 nf_conntrack, Live 0x0
virtio_net 73728 0 - Live 0x0
"""


@pytest.mark.parametrize(
    ("said", "path", "there"),
    [
        ({}, "route", []),
        ({"hooks": HOOKS}, "route",
         ["ipv4_conntrack_defrag [nf_defrag_ipv4] at ip prerouting",
          "chain inet own early [nf_tables] at ip prerouting"]),
        ({"hooks": HOOKS}, "switch", ["br_nf_forward_ip [br_netfilter] at bridge forward"]),
        ({"chains": CHAINS}, "route", ["chain forward of nft at inet forward"]),
        ({"chains": CHAINS}, "endpoint", []),
        ({"tables": "filter\nfilter\n"}, "endpoint", ["table filter of xtables"]),
        ({"tables": "filter\n"}, "switch", []),
    ],
)  # fmt: skip
def test_what_stands_at_the_hooks_of_a_path_is_told(
    said: dict[str, str], path: str, there: list[str]
) -> None:
    assert list(registered(NOTHING | said, path)) == there


def test_tracking_is_unloaded_after_all_that_needs_it() -> None:
    order = ["nft_masq", "nft_ct", "nf_nat", "nf_conntrack", "nf_defrag_ipv4"]
    assert unloading(MODULES.strip()) == order
    assert unloading("") == []


def test_cpus_are_read_as_the_kernel_lists_them() -> None:
    cpus = {"0\n": [0], "0-3\n": [0, 1, 2, 3], "0-1,6\n": [0, 1, 6]}
    assert {text: online(text) for text in cpus} == cpus


def test_a_mask_is_as_the_kernel_takes_it() -> None:
    masks: list[tuple[list[int], str]] = [
        ([], "0"),
        ([0], "1"),
        ([1, 3], "a"),
        ([0, 33], "2,00000001"),
    ]
    assert [(cpus, mask(cpus)) for cpus, _ in masks] == masks


@settings(max_examples=30)
@given(st.sets(st.integers(0, 200)))
def test_a_mask_says_each_cpu_once(cpus: set[int]) -> None:
    assert int(mask(sorted(cpus)).replace(",", ""), 16) == sum(1 << cpu for cpu in cpus)


def test_a_mask_that_is_set_is_known_in_the_kernels_own_width() -> None:
    assert shown("3", "00000003") == "00000003"
    assert shown("3", "3") == "3"
    assert shown("3", "00000001") != "00000001"


COUNTED = """
        packets 48 bytes 2208
     12 [HW_OFFLOAD]
      4 [OFFLOAD]
"""


@pytest.mark.parametrize(
    ("said", "before", "found"),
    [
        (COUNTED, {}, {"usual": 48, "entries": 4, "hardware_entries": 12}),
        (COUNTED, {"usual": 40}, {"usual": 8, "entries": 4, "hardware_entries": 12}),
        ("packets 0 bytes 0\n", {}, {"usual": 0, "entries": 0, "hardware_entries": 0}),
    ],
)
def test_offloaded_connections_and_the_packets_beside_them_are_counted(
    said: str, before: dict[str, int], found: dict[str, int]
) -> None:
    assert counted(said, before) == found
