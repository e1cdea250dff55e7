# SPDX-License-Identifier: Apache-2.0
"""What tc counted of a shaper: rises of what counts, states as they are, by port, class and tin."""

import json
from typing import Any

from gatemark.probe.kind.shaper import Queues, outcome, queues
from gatemark.probe.probe import Outcome, Seen, Sent

CLASSES = """\

@@ eth1
class htb 676d:1 parent 676d:10 leaf 805b: prio 0 rate 904760bit ceil 950Kbit burst 1513b
 Sent {bytes} bytes {packets} pkt (dropped {drops}, overlimits 7 requeues 0)
 backlog 1514b 1p requeues 0
 lended: 3 borrowed: 4 giants: 0
class fq_codel 805c:1 parent 805c:
"""


def htb(drops: int) -> list[dict[str, Any]]:
    """A discipline of htb with a leaf: both count the drops of the leaf."""
    leaf = {"kind": "pfifo", "handle": "805b:", "dev": "eth1", "parent": "676d:1"}
    return [
        {"kind": "htb", "handle": "676d:", "dev": "eth1", "root": True, "drops": drops,
         "overlimits": 2 * drops, "backlog": 1514, "options": {"r2q": 10}},
        leaf | {"drops": drops, "options": {"limit": 50}},
        {"kind": "noqueue", "handle": "0:", "dev": "lo", "root": True, "drops": 9},
    ]  # fmt: skip


def cake(drops: int, delay_us: int) -> list[dict[str, Any]]:
    tin = {"drops": drops, "ecn_mark": drops, "peak_delay_us": delay_us, "odd": "x"}
    return [
        {"kind": "cake", "handle": "676d:", "dev": "eth1", "root": True, "drops": drops,
         "tins": [tin, tin]}
    ]  # fmt: skip


def read(qdiscs: list[dict[str, Any]], classes: str = "") -> Queues:
    return queues(json.dumps(qdiscs) + classes, devices=["eth1"])


def seen(before: Queues, after: Queues) -> Outcome:
    return outcome(Seen(own={"shaper": (before, after)}), Sent(0, 1, 0.0))


def test_a_drop_is_counted_once_by_the_outermost() -> None:
    evidence = seen(read(htb(1)), read(htb(4))).evidence
    assert evidence["qdisc"] == {"eth1": {"drops": 3, "overlimits": 6}}


def test_what_counts_has_risen_and_a_state_is_as_it_is() -> None:
    (root, leaf) = seen(read(htb(1)), read(htb(4))).evidence["shaper"]["eth1"]
    assert (root["kind"], root["drops"], root["backlog"]) == ("htb", 3, 1514)
    assert (leaf["parent"], leaf["drops"]) == ("676d:1", 3)


def test_htbs_classes_are_there_and_no_others() -> None:
    texts = [CLASSES.format(bytes=100 * n, packets=n, drops=n // 5) for n in (10, 30)]
    before, after = (read(htb(0), text) for text in texts)
    first = seen(before, after).evidence["shaper"]["eth1"][-1]
    assert (first["kind"], first["handle"], first["parent"]) == ("htb class", "676d:1", "676d:10")
    assert [first[name] for name in ("bytes", "packets", "drops", "qlen")] == [2000, 20, 4, 1]


def test_cakes_tins_are_there_each() -> None:
    queue = seen(read(cake(1, 900)), read(cake(6, 500))).evidence["shaper"]["eth1"][0]
    assert queue["tins"] == [{"drops": 5, "ecn_mark": 5, "peak_delay_us": 500}] * 2


def test_without_counters_nothing_is_told() -> None:
    assert seen(queues("\n@@ eth1\n", ["eth1"]), queues("", ["eth1"])).evidence == {"qdisc": {}}


def test_what_sqm_holds_as_it_comes_in_is_of_the_gateway_too() -> None:
    inward = [qdisc | {"dev": "ifb4eth1"} for qdisc in cake(6, 500)]
    assert read(inward)["ifb4eth1"][0]["drops"] == 6
    assert "ifb4eth1" not in read(cake(6, 500))
