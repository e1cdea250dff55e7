# SPDX-License-Identifier: Apache-2.0
"""Which arms are for which gateway, and the one line that says why not."""

from gatemark.gateway.difference import differences
from gatemark.gateway.observe import path_of
from gatemark.gateway.tools import Means
from gatemark.node.shell import Local
from gatemark.plan.model import Arm
from gatemark.station.mode import Mode
from gatemark.station.wiring import Gateway

ALL = {"gw0": "eth0", "gw1": "eth1", "gw2": "eth2"}


def gateway(*roles: str, mode: Mode = Mode.APPLY, agent: bool = True) -> Gateway:
    devices = {role: ALL[role] for role in roles or ALL}
    return Gateway(Local("gateway"), devices, mode=mode, agent=agent)


LACKS: list[tuple[Gateway, set[str], Arm, str]] = [
    (gateway(), {"ip"}, Arm(path="nat"), "not available here: no nft on the gateway"),
    (gateway(), {"nft"}, Arm(path="switch"), "not available here: no ip on the gateway"),
    (gateway(), {"ip"}, Arm(path="route", features=("filter:9",)),
     "not available here: no nft on the gateway"),
    (gateway(), {"ip", "nft"}, Arm(path="nat", features=("conntrack",)), ""),
    (gateway(), {"ip", "nft"}, Arm(path="route", features=("shape:tbf",)),
     "not available here: no tc on the gateway"),
    (gateway(), {"nft"}, Arm(path="route", features=("filter:9:legacy",)),
     "not available here: no iptables-legacy on the gateway"),
    (gateway(), {"iptables"}, Arm(path="route", features=("filter:9:legacy",)), ""),
    (gateway(agent=False), {"ip"}, Arm(path="route", features=("xdp",)),
     "not available here: an agent holds the program of xdp, and none may run on the gateway"),
    (gateway(mode=Mode.OPENWRT), {"ip", "nft"}, Arm(path="nat"),
     "not available here: no uci on the gateway"),
    (gateway("gw0", "gw1"), {"ip"}, Arm(path="switch"),
     "not available here: no second LAN port on the gateway"),
    (gateway("gw0"), {"ip", "nft"}, Arm(path="nat"),
     "not available here: no WAN port on the gateway"),
    (gateway("gw0"), set(), Arm(path="endpoint"), ""),
    (gateway(agent=False), {"ip"}, Arm(path="endpoint"),
     "not available here: the gateway itself is an end of it, and no agent may run there"),
    (gateway(), set(), Arm(path="direct"), ""),
]  # fmt: skip


def test_an_arm_that_cannot_be_set_says_why() -> None:
    lacks = [Means(made, frozenset(tools)).lacks(arm) for made, tools, arm, _ in LACKS]
    assert lacks == [why for *_, why in LACKS]


OBSERVED = [
    ("nat", Arm(path="nat"), True),
    ("nat", Arm(path="route"), False),
    ("nat", Arm(path="endpoint"), True),
    ("nat", Arm(path="direct"), True),
    ("nat", Arm(path="nat", features=("conntrack",)), False),
    ("", Arm(path="route"), False),
]


def test_a_gateway_that_is_observed_has_one_path() -> None:
    fix = '[gateway] set = "apply" in the station file sets it'
    for observed, arm, fits in OBSERVED:
        why = Means(gateway(mode=Mode.OBSERVE), observed=observed).lacks(arm)
        assert why == "" if fits else why.endswith(fix), (observed, arm, why)


BRIDGED = "2: eth0: <UP> mtu 1500 master br0 state UP\n4: eth2@if9: <UP> mtu 1500 master br0"
FW4 = 'chain srcnat_wan {\n meta nfproto ipv4 masquerade comment "!fw4: Masquerade IPv4"\n}'


PATHS: list[tuple[tuple[str, ...], dict[str, str], str]] = [
    ((), {"forwarding": "1\n1"}, "route"),
    ((), {"forwarding": "1\n0", "ruleset": FW4}, "nat"),
    ((), {"forwarding": "1", "iptables": "-A POSTROUTING -o eth1 -j MASQUERADE"}, "nat"),
    ((), {"forwarding": "1", "ruleset": "snat ip to 192.0.2.1"}, "nat"),
    ((), {"forwarding": "1", "ruleset": "# unmasqueraded"}, "route"),
    ((), {"forwarding": "0", "ruleset": FW4}, ""),
    (("gw0", "gw2"), {"forwarding": "0", "interfaces": BRIDGED}, "switch"),
    (("gw0", "gw2"), {"interfaces": BRIDGED.replace("master br0", "", 1)}, ""),
    (("gw0",), {"forwarding": "1"}, ""),
]


def test_the_path_of_a_gateway_is_seen_in_its_settings() -> None:
    seen = [(roles, settings, path_of(gateway(*roles), settings)) for roles, settings, _ in PATHS]
    assert seen == PATHS


def test_settings_that_are_the_same_differ_in_nothing() -> None:
    assert differences({"ruleset": "a"}, {"ruleset": "a"}) == []


def test_settings_that_differ_are_told_in_one_line() -> None:
    was = {"ruleset": "table a\ntable b", "qdiscs": "q"}
    assert differences(was, {"ruleset": "table a\ntable c"}) == [
        "the gateway is not as it was: ruleset, qdiscs: 'table b' became 'table c'"
    ]
