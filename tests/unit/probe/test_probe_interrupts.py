# SPDX-License-Identifier: Apache-2.0
"""What /proc tells of interrupts, on machines of many queues and of one CPU."""

from gatemark.probe.kind.interrupts import outcome, parse
from gatemark.probe.probe import Outcome, Seen, Sent
from gatemark.store.record import Accounting

VIRTIO = """\
            CPU0       CPU1
 38:          {rx}     {rx1}   PCI-MSI 1572865-edge      virtio2-input.0
 39:       17          0   PCI-MSI 1572866-edge      virtio2-output.0
 66:       21      {tx}  IR-PCI-MSI 2097153-edge      enp4s0f0-TxRx-1
LOC:   138648     897043   Local timer interrupts
ERR:          0

                    CPU0       CPU1
          HI:          0          0
      NET_TX:        239        176
      NET_RX:       {net}        {net1}
     HRTIMER:       3374          0

ctxt {ctxt}

/proc/irq/38/smp_affinity_list:0-1
/proc/irq/39/smp_affinity_list:1
/proc/irq/66/smp_affinity_list:0-1
/proc/irq/38/effective_affinity_list:1
"""
MIPS = """\
           CPU0
  4:     {rx}      MIPS   4  eth0
  7:    3500000      MIPS   7  timer
ERR:          0

                    CPU0
      NET_TX:       1200
      NET_RX:      {net}

ctxt {ctxt}

"""
SENT = Accounting(
    scheduled=400, tried=400, refused=0, unique=400, lost=0, duplicated=0, reordered=0, stale=0,
    corrupt=0, foreign=0, ring_dropped=0, interfaces={}, mismatch={},
)  # fmt: skip
FIRST = VIRTIO.format(rx=10, rx1=500, tx=9, net=1000, net1=2000, ctxt=700)
LAST = VIRTIO.format(rx=10, rx1=800, tx=49, net=1100, net1=2300, ctxt=900)


def read(first: str, last: str, own: frozenset[int] | None = None) -> Outcome:
    seen = Seen(own={"interrupts": (parse(first), parse(last))})
    return outcome(seen, Sent(0, 1, 1000.0, own=own))


def test_each_queue_reports_which_cpu_took_its_interrupts_and_which_may() -> None:
    assert read(FIRST, LAST).evidence["interrupts"]["irq"] == {
        "38": {
            "name": "PCI-MSI 1572865-edge virtio2-input.0",
            "cpus": {"0": 0, "1": 300},
            "affinity": "1",  # the effective one
        },
        "66": {
            "name": "IR-PCI-MSI 2097153-edge enp4s0f0-TxRx-1",
            "cpus": {"0": 0, "1": 40},
            "affinity": "0-1",
        },
    }


def test_the_busiest_of_the_gateways_cpus_has_a_share_of_what_was_received() -> None:
    made = read(FIRST, LAST)
    assert made.evidence["interrupts"]["softirq"] == {
        "NET_RX": {"0": 100, "1": 300},
        "NET_TX": {},
    }
    assert made.values == {"interrupts.busiest_share": 0.75}


def test_a_namespace_has_this_machines_and_no_share_of_its_own() -> None:
    made = read(FIRST, LAST, frozenset({1}))
    assert made.evidence["interrupts"]["of"] == "this machine, which all its namespaces share"
    assert made.values == {}


def test_a_box_of_one_cpu_has_no_affinity() -> None:
    made = read(MIPS.format(rx=123456, net=50, ctxt=0), MIPS.format(rx=123999, net=90, ctxt=8))
    assert made.values == {"interrupts.busiest_share": 1.0}
    assert made.evidence["interrupts"] == {
        "of": "the gateway",
        "irq": {"4": {"name": "MIPS 4 eth0", "cpus": {"0": 543}, "affinity": ""}},
        "softirq": {"NET_RX": {"0": 40}, "NET_TX": {}},
    }


def test_nothing_received_has_no_busiest() -> None:
    assert read(FIRST, FIRST).values == {}


def test_a_packet_has_interrupts_polls_and_switches_without_those_of_timers() -> None:
    first = MIPS.format(rx=1000, net=50, ctxt=10)
    last = MIPS.format(rx=1200, net=90, ctxt=30).replace("3500000", "3500900")
    seen = Seen(own={"interrupts": (parse(first), parse(last))})
    made = outcome(seen, Sent(0, 1, 1000.0, accounting=SENT))
    assert made.values == {
        "interrupts.busiest_share": 1.0,
        "interrupts.per_packet_ratio": 0.5,
        "interrupts.polls_ratio": 0.1,
        "interrupts.switches_ratio": 0.05,
    }
