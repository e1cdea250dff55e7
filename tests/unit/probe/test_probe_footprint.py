# SPDX-License-Identifier: Apache-2.0
"""What processes and caches hold, read from text as /proc has it."""

from gatemark.probe.kind.footprint import outcome, parse
from gatemark.probe.probe import Seen, Sent

TEXT = """\
MemTotal:        122880 kB
MemFree:          90000 kB
MemAvailable:     98304 kB
Slab:              8192 kB
=
120
16384
=
cpu  {busy} 0 100 {idle} 0 0 0 0 0 0
=
lrwxrwxrwx 1 root root 0 Nov 30 21:00 /proc/812/ns/net -> net:[42]
lrwxrwxrwx 1 root root 0 Nov 30 21:00 /proc/9/ns/net -> net:[7]
lrwxrwxrwx 1 root root 0 Nov 30 21:00 /proc/self/ns/net -> net:[42]
=
/proc/2/status:Name:\tkthreadd
/proc/812/status:Name:\tdnsmasq
/proc/812/status:VmRSS:\t    2048 kB
/proc/9/status:Name:\tgm-agent
/proc/9/status:VmRSS:\t     512 kB
/proc/99/status:Name:\tother
/proc/99/status:VmRSS:\t     256 kB
=
slabinfo - version: 2.1
# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab>
nf_conntrack         900   1000    320   25    2 : tunables
tiny                   1      1     64   25    2 : tunables
"""


def seen() -> Seen:
    both = (parse(TEXT.format(busy=100, idle=800)), parse(TEXT.format(busy=150, idle=850)))
    return Seen(own={"footprint": both})


def test_a_gateway_with_a_kernel_of_its_own_is_read_whole() -> None:
    held = outcome(seen(), Sent(0, 1, 0.0)).evidence["footprint"]
    assert held["processes"] == {"dnsmasq 812": 2 << 20, "other 99": 256 << 10}
    assert held["slabs"] == {"nf_conntrack": 320_000}
    assert held["memory"]["MemAvailable"] == 96 << 20
    assert (held["entries"], held["most_entries"]) == (120, 16384)
    assert held["cpu_busy"] == 0.5


def test_of_a_namespace_only_its_own_processes_are_read() -> None:
    held = outcome(seen(), Sent(0, 1, 0.0, own=frozenset({1}))).evidence["footprint"]
    assert held == {"processes": {"dnsmasq 812": 2 << 20}, "entries": 120, "most_entries": 16384}


def test_a_kernel_without_tracking_has_no_table() -> None:
    text = TEXT.format(busy=1, idle=1).replace("120\n16384\n", "")
    assert parse(text).table == ()
