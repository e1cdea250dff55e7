# SPDX-License-Identifier: Apache-2.0
"""What is seen that a reader is warned of, and what to do about it."""

from typing import Final

from gatemark import number
from gatemark.judge.fact import Fact
from gatemark.tell.fact import say
from gatemark.tell.fact.say import Entries, Said

CPUS: Final = "`gatemark doctor` tells who is on which"


def _twin(fact: Fact) -> Said:
    by = number.quantity(say.number(fact, "difference"), str(fact.values["unit"]))
    arm, against = fact.values["arm"], fact.values["against"]
    return f"{arm} is {against} again and differs from it by {by}.", ""


ENTRIES: Final[Entries] = {
    "advice.enough": "Ask for {times}: `--set repeat.{key}={times}`.",
    "advice.resume": "Go on with the run: `{command}`.",
    "advice.more": "Ask for more, as some did not count: `--set repeat.{key}={times}`.",
    "advice.narrow": "Quiet the machine, or measure until the interval is narrow: "
    "`--set {setting}`.",
    "advice.small": "Steps as small may be chance: quiet the machine, or repeat more: "
    "`--set {setting}`.",
    "advice.warm": "Caches or tables were cold: `--set {setting}`.",
    "advice.steady": "Heat, clock or a neighbour. Arms still compare, as they are interleaved. For "
    "steady values quiet the machine, or warm up longer: `--set {setting}`.",
    "advice.cool": "Heat or power slowed it: cool it, or warm it up for all repeats: "
    "`--set {setting}`.",
    "advice.faster": "At least this much: use a faster tester, or give it a CPU of its own "
    f"({CPUS}).",
    "advice.late-line": "The rate is right, the 99th percentile of the delay is not: quiet the "
    f"machine, or give the line a CPU of its own ({CPUS}).",
    "advice.move": "Move it: `echo {cpu} > /proc/irq/{irq}/smp_affinity_list`; `gatemark tune` "
    "tries what else helps.",
    "advice.flow-timeout": "Where that costs: `sysctl -w "
    "net.netfilter.nf_flowtable_tcp_timeout=300` (Linux 5.13), and of udp.",
    "advice.remember": "Raise `net.netfilter.nf_conntrack_udp_timeout_stream` and "
    "`nf_conntrack_tcp_timeout_established`, or have clients send more often.",
    "advice.longer": "Give it longer: `--set workload.duration_s=60`.",
    "advice.all": "`gatemark show RUN --all` says why.",
    "advice.names": "Give your own names: `gatemark show RUN --subsystems FILE`.",
    "advice.states": "Find what switches between them: `gatemark export RUN --raw` has each trial.",
    "advice.probes": "No rate comes from it; fewer probes in `probe.use` disturb less.",
    "advice.clocks": "Take the difference between two of them, or TCP's round trip "
    "(`gatemark run quick/tcp`), or one machine for both sides.",
    "advice.direct": 'Add an arm with `path = "direct"`.',
    "advice.unlined": 'Add an arm with `path = "direct"` and `line = false` where there is a '
    "[line].",
    "advice.watch": 'Add probes: `--set \'probe.use=["conntrack","shaper"]\'`.',
    "advice.own-cpu": f"Give the sender a CPU of its own: {CPUS}.",
    "advice.rising": "A longer frame should not be cheaper: look at how the driver's buffers are "
    "cut, and search between these: `--set '{setting}'`.",
    "trial": "{count} trial",
    "trials": "{count} trials",
    "seen.why": "{why:upper}.",
    "seen.late-line": "The line sent {share:ratio} of its frames over 1 ms late.",
    "seen.few": "{n} of {enough} repeats: the interval is the range.",
    "seen.spread": "The interval spans {share:ratio} of its value; up to {usual:ratio} is usual.",
    "seen.invalid": "{trials} did not count.",
    "seen.unnamed": "{share:ratio} of what it runs is in functions that subsystems.toml does not "
    "have.",
    "seen.action-late": "{program} was not done with its action in {late} of {trials} trials.",
    "seen.busy-queue": "{queue} interrupts CPU {cpu} alone, which is {busy:ratio} busy, "
    "{other:ratio} with other work, while CPU {idle} is free.",
    "seen.fell-out": "{flows} fell out of the flow table after up to {s:.3g} s without a packet "
    "and went the usual path; {again:g} came back.",
    "seen.forgotten": "The gateway forgot {flows}: of slow connections {kept:ratio} of the packets "
    "came, of idle ones {dead:ratio} were dead.",
    "seen.first": "The first repeat lies {share:ratio} below all others.",
    "seen.rose": "The later half of the repeats lies {share:ratio} above the earlier.",
    "seen.fell": "The later half of the repeats lies {share:ratio} below the earlier.",
    "seen.states": "Two states near {low:.4g} and {high:.4g}.",
    "seen.observed-more": "The instrumented pass reads {share:ratio} more than the pass from "
    "outside.",
    "seen.observed-less": "The instrumented pass reads {share:ratio} less than the pass from "
    "outside.",
    "seen.clock": "The clock fell from {start:g} to {low:g} MHz.",
    "seen.slowdowns": "It counted {count:g} slowdowns in a trial.",
    "seen.clocks": "One-way delays may be wrong by {us:.0f} us, as much as they are.",
    "seen.twin": _twin,
    "seen.missing": "{trials} to go.",
    "seen.no-ceiling": "The tester alone was not measured, so a value may be its limit.",
    "seen.unwatched": "Flow table and shaper were not watched.",
    "seen.clump": "It had to catch up with {packets:.0f} packets at once; {usual} is usual.",
    "seen.holes": "Nothing arrived for {share:ratio} of the time.",
    "seen.rising": "{arm}: {high:rate} at {large} bytes, {low:rate} at {small}.",
}
