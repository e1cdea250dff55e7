# SPDX-License-Identifier: Apache-2.0
"""Rules of OpenWrt's firewall as nft lists them, and what of them is not as it was meant."""

import pytest

from gatemark.gateway.fw4 import Meant, rules

LISTED = """table inet fw4 {
	chain forward {
		type filter hook forward priority filter; policy drop;
		ct state vmap { established : accept, related : accept } comment "flows"
		iifname { "br-lan", "br-guest" } jump forward_lan comment "lan"
		iifname "eth2" jump forward_wan comment "wan"
		jump handle_reject
	}

	chain forward_lan {
		jump accept_to_wan comment "Accept lan to wan forwarding"
		jump accept_to_lan
	}

	chain forward_wan {
		meta l4proto esp counter jump accept_to_lan comment "Allow-IPSec-ESP"
		jump drop_to_wan
	}

	chain srcnat_wan {
		meta nfproto ipv4 masquerade comment "Masquerade IPv4 wan traffic"
	}
}
"""
ROUTE = Meant("br-lan", "eth2", "lan", "wan", masquerade=False)
NAT = Meant("br-lan", "eth2", "lan", "wan", masquerade=True)
OPENED = "\tchain forward_wan {\n\t\tjump accept_to_lan\n"


FLOWS = """	flowtable ft {
		hook ingress priority filter
		devices = { "br-lan", "eth2" }
		counter
	}

"""


def differing(listed: str, meant: Meant) -> list[str]:
    return list(rules(listed).differences(meant))


def test_what_openwrt_comes_with_is_nat() -> None:
    assert differing(LISTED, NAT) == []


def test_a_rule_for_one_kind_of_packet_opens_no_zone() -> None:
    read = rules(LISTED)
    assert read.opens("lan", "wan")
    assert not read.opens("wan", "lan")
    assert not read.opens("wan", "wan")


def test_routing_both_ways_without_masquerading_is_route() -> None:
    routed = LISTED.replace("\tchain forward_wan {\n", OPENED).replace("masquerade comment", "#")
    assert differing(routed, ROUTE) == []


@pytest.mark.parametrize(
    ("old", "new", "meant", "words"),
    [
        ("", "", ROUTE, "zone wan is not open to zone lan; zone wan masquerades"),
        ("masquerade comment", "#", NAT, "zone wan does not masquerade"),
        ('iifname "eth2"', 'iifname "eth3"', NAT, "nothing that eth2 receives is let into zone"),
        ("jump handle_reject", "flow add @ft", NAT, "flows are offloaded past the rules"),
    ],
)
def test_what_is_not_as_meant_is_named(old: str, new: str, meant: Meant, words: str) -> None:
    changed = LISTED.replace(old, new) if old else LISTED
    assert words in "; ".join(differing(changed, meant))


def test_a_flow_table_is_read_with_who_has_it() -> None:
    with_table = LISTED.replace("fw4 {\n", f"fw4 {{\n{FLOWS}", 1)
    offloaded = with_table.replace(
        "jump handle_reject", "meta l4proto { tcp, udp } flow add @ft", 1
    )
    hardware = offloaded.replace("counter\n", "flags offload\n\t\tcounter\n", 1)
    read = [rules(text) for text in (LISTED, with_table, offloaded, hardware)]
    assert [item.offloads for item in read] == [False, False, True, True]
    assert [item.offloads_hardware for item in read] == [False, False, False, True]
