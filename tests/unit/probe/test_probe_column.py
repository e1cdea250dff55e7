# SPDX-License-Identifier: Apache-2.0
"""A shell loop's text becomes the columns that the agent gives."""

from typing import Any

import pytest

from gatemark.probe.column import columns, patterns
from gatemark.probe.loop import WHOLE, samples
from gatemark.probe.registry import PROBES

SOURCES = {p.column.what: p.column for p in PROBES.values() if p.column}
S = 1_000_000_000

# As grep prints it on a busybox box, twice a second; the last sample is of another shell.
FIRST = """@@ 100.00
/proc/77/stat:77 (sh) S 1 77 77 0 -1 4194304 9 9 0 0 1 2 3 4 20 0 1 0 9 9 9
/proc/stat:cpu0 10 0 20 300 7 1 9 0 0 0
/proc/stat:cpu1 0 0 0 400 0 0 0 5 0 0
/proc/net/softnet_stat:0000000a 00000001 00000002 00000000
/proc/net/softnet_stat:000000ff 00000000 00000000 00000000
/proc/net/dev:  eth0:    1000      10    1    2    0     0          0         0     500       5
"""
SECOND = FIRST.replace("100.00", "101.50").replace("1 2 3 4 20", "2 3 5 6 20")
MEMORY = """/proc/meminfo:MemTotal:         61000 kB
/proc/meminfo:MemFree:          30000 kB
"""
CONNTRACK = """/proc/net/stat/nf_conntrack:entries  searched found new drop early_drop insert_failed
/proc/net/stat/nf_conntrack:00000011  00000000 00000000 00000000 00000002 00000001 00000000
/proc/net/stat/nf_conntrack:00000011  00000000 00000000 00000000 00000003 00000000 00000001
"""


def read(*texts: str, late_ns: int = 0) -> list[tuple[int, str]]:
    """Each sample arrives when it was read, the first one late."""
    lines = []
    for at, text in enumerate(texts):
        arrival = 7 * S + round(1.5 * S) * at + (late_ns if at == 0 else 0)
        lines += [(arrival, line) for line in (*text.splitlines(), WHOLE)]
    return lines


def table(*texts: str, what: list[str]) -> dict[str, Any]:
    return columns(samples(read(*texts)), [SOURCES[name] for name in what])


def test_times_are_the_gateways_on_this_machines_clock() -> None:
    whole = samples(read(FIRST, SECOND, late_ns=S // 2))
    assert [sample.t_ns for sample in whole] == [7 * S, 7 * S + round(1.5 * S)]


def test_a_sample_that_the_end_of_the_loop_cut_is_none() -> None:
    cut, last = read(FIRST, SECOND), read(FIRST.replace("100.00", "103.00"))
    whole = samples([*cut[:-3], *last])
    assert [sample.t_ns for sample in whole] == [4 * S, 7 * S]
    assert columns(whole, [SOURCES["cpu"]])["absent"] == []


def test_cpu_time_is_in_milliseconds_by_kind() -> None:
    kinds = table(FIRST, SECOND, what=["cpu"])["cpu"]
    assert {kind: values[0] for kind, values in kinds["0"].items()} == {
        "user_ms": 100,
        "system_ms": 200,
        "softirq_ms": 90,
        "irq_ms": 10,
        "idle_ms": 3070,  # 300 ticks, and 7 that waited for I/O
        "steal_ms": 0,
        "nice_ms": 0,
    }
    assert kinds["1"]["steal_ms"] == [50, 50]


def test_softnet_is_read_in_hex() -> None:
    kinds = table(FIRST, what=["softnet"])["softnet"]
    assert kinds["0"] == {"processed": [10], "dropped": [1], "squeezed": [2]}
    assert kinds["1"]["processed"] == [255]


def test_interfaces_have_their_counters() -> None:
    text = FIRST.rstrip("\n") + " 3 4 0 0 0 0\n"
    kinds = table(text, what=["interfaces"])["interfaces"]["eth0"]
    assert (kinds["rx_packets"], kinds["rx_dropped"]) == ([10], [2])
    assert (kinds["tx_packets"], kinds["tx_errors"], kinds["tx_dropped"]) == (
        [5],
        [3],
        [4],
    )


def test_an_old_kernel_has_at_least_its_free_memory_available() -> None:
    kinds = table(FIRST + MEMORY, what=["memory"])["memory"]
    assert kinds == {
        "total_bytes": [61000 * 1024],
        "free_bytes": [30000 * 1024],
        "available_bytes": [30000 * 1024],
        "slab_bytes": [0],
    }


def test_conntrack_is_summed_over_processors_but_for_its_entries() -> None:
    kinds = table(FIRST + CONNTRACK, what=["conntrack"])["conntrack"]
    assert kinds.pop("chainlength") == [0]  # that kernel does not count it
    assert kinds == {"entries": [17], "drop": [5], "early_drop": [1], "insert_failed": [1]}


def test_what_a_kernel_does_not_have_is_absent() -> None:
    kinds = table(FIRST + CONNTRACK, SECOND, what=["cpu", "conntrack"])
    assert (kinds["absent"], "conntrack" in kinds) == (["conntrack"], False)


def test_what_the_loop_cost_is_reported_without_the_last_shell() -> None:
    last = SECOND.replace("/proc/77/", "/proc/99/").replace("101.50", "102.00")
    kinds = table(FIRST, SECOND, last, what=["cpu"])
    assert (kinds["cpu_ns"], kinds["cpu_over_ns"]) == (60_000_000, round(1.5 * S))


@pytest.mark.parametrize("name", ["eth0", "eth0.2"])
def test_a_devices_name_is_no_pattern(name: str) -> None:
    (pattern,) = patterns([SOURCES["interfaces"]], [name, "br-lan"])
    assert pattern == f"^ *({name.replace('.', '[.]')}|br-lan):"


SLAB = """/proc/slabinfo:nf_conntrack          160    176    256   16    1 : tunables    0    0    0
/proc/slabinfo:kmalloc-128         16105  20800    128   32    1 : tunables    0    0    0
"""


def test_slabs_are_reported_by_cache() -> None:
    kinds = table(FIRST + SLAB, what=["slab"])["slab"]
    assert kinds["nf_conntrack"] == {
        "active": [160],
        "objects": [176],
        "object_bytes": [256],
    }
    assert list(kinds) == ["nf_conntrack", "kmalloc-128"]


ZONES = """/proc/zoneinfo:              count: 2
/proc/zoneinfo:              count: 188
"""


def test_pages_on_the_lists_of_cpus_are_added_up() -> None:
    assert table(FIRST + ZONES, what=["pagesets"])["pagesets"] == {"listed_bytes": [190 * 4096]}
