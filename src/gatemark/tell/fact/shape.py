# SPDX-License-Identifier: Apache-2.0
"""Shapes of loss in words: what is seen and where to look, then the clause."""

from typing import Final

from gatemark.tell.fact.say import Entries, joined, rates

LONGER: Final = "(`--set workload.duration_s=2`)."
SHORT: Final = "which trials as short as these hardly show"
COMES: Final = "a timer, a program or a radio that comes and goes."

ENTRIES: Final[Entries] = {
    "several": joined(", "),
    "sentences": joined(" "),
    "clauses": joined("; "),
    "of-setup": "{setup} {finding:clause}",
    "changed.new": "{setup}: new {finding:clause}, old does not",
    "changed.old": "{setup}: old {finding:clause}, new does not",
    "rate": "{rate:pps}",
    "rates": rates,
    "every": " every {ms:ms}",
    "with": ("{finding} {more}", "{finding:clause}"),
    "first.packet": (
        "A flow's first packet is lost until {learnt}.",
        "loses the first {ms:ms} of its flows",
    ),
    "first.packets": (
        "A flow's first {packets:.0f} packets ({ms:ms}) are lost until {learnt}.",
        "loses the first {ms:ms} of its flows",
    ),
    "first.at-once": "something is learnt, as a neighbour or a flow",
    "first.by-flow": "it is learnt, each flow by itself",
    "flows.all": (
        "{many} of {flows} flows lose all, the others do not: {which}.",
        "loses all of {many} of {flows} flows",
    ),
    "flows.all-others": (
        "{many} of {flows} flows lose all, others each time: a table or ports have no room for "
        "them, or a hash changes.",
        "loses all of {many} of {flows} flows, others each time",
    ),
    "flows.part": (
        "{many} of {flows} flows lose {share:percent}, the others do not: {which}.",
        "loses {share:percent} of {many} of {flows} flows",
    ),
    "which.unknown": "no attribute of theirs is known, look for a queue or a hash",
    "which.nothing": "their clients and ports have nothing in common, look for a queue or a hash",
    "which.no-ports": "their ports have nothing in common, look for a queue or a hash",
    "which.one": "the LAN host's {name} {low}",
    "which.span": "the LAN host's {name}s {low} to {high}",
    "which.some": "the LAN host's {name}s {values}",
    "which.mod": "the LAN host's {name} mod {modulus} = {rest}",
    "limiter.vague": (
        "Something other than the CPU's queue drops from {low:pps} on. Add a rate between "
        "{rate:pps} and {next:pps} to tell what.",
        "drops beyond {rate:pps} at most",
    ),
    "policer": (
        "Something drops beyond {most}{rates}{burst}; {cpu}no queue forms: a policer.",
        "is policed to {most}{rate:pps}",
    ),
    "policer.at-most": "at most ",
    "policer.cpu": "CPU {busy:percent}, ",
    "burst": " (burst {packets:.0f} packets)",
    "burst.span": " (burst {packets:.0f} ({low:.0f} to {high:.0f}) packets)",
    "burst.least": " (burst at least {high:.0f} packets)",
    "policer.bytes": (
        "Something drops beyond {bps:mbps} of frames, larger ones more than small ones: a policer "
        "of bytes.",
        "is policed to {bps:mbps} of frames, not to packets/s",
    ),
    "policer.late": (
        "Something drops beyond at most {rate:pps}, once a burst of about {burst:grouped} packets "
        "is through: {ms:ms} into the trials at {offered:pps}. Longer trials would carry less "
        + LONGER,
        "is policed to at most {rate:pps}, " + SHORT,
    ),
    "shaper": (
        "Shaped to {rates}{bits} with a queue of {ms:ms}.",
        "is shaped to {rate:pps}",
    ),
    "shaper.bits": " ({bps:mbps} of frames)",
    "shaper.bytes": (
        "Something drops beyond {bps:mbps} of frames, larger ones more than small ones: a shaper "
        "of bytes.",
        "is shaped to {bps:mbps} of frames, not to packets/s",
    ),
    "shaper.late": (
        "Shaped to about {rate:pps} with a queue of at least {ms:ms}, which trials at "
        "{offered:pps} do not fill. Longer ones would lose " + LONGER,
        "is shaped to about {rate:pps}, " + SHORT,
    ),
    "counted": ("{finding:open}, {counts}.", "{finding:clause}"),
    "counted.packets": "by packets: {rate:pps} at {bytes} bytes too",
    "counted.bytes": "by bytes: {bps:mbps} of frames",
    "share": (
        "{clause:upper}: not load. Look at rules, errors of the ports, cable, duplex.",
        "loses {share:percent} at any rate{manner}",
    ),
    "share.every": " (every {nth:ordinal} packet)",
    "share.bursts": " in bursts",
    "share.low-rates": (
        "Loses {share:percent} at {rate:pps} and less, and far less at {higher:pps}: look for "
        "what sleeps between packets, as ports and CPUs do that save power.",
        "loses {share:percent} at {rate:pps} and less, not at higher rates",
    ),
    "outlasts": (
        "{finding} {silent} of {trials} trials lose all: it outlasts the others.",
        "{finding:clause}",
    ),
    "over-time.more": (
        "More is lost the longer a trial lasts: {first:percent} of its first quarter, "
        "{last:percent} of its last. Look for heat, a table that fills.",
        "loses {first:percent} at first and {last:percent} at the end of each trial",
    ),
    "over-time.less": (
        "Less is lost the longer a trial lasts: {first:percent} of its first quarter, "
        "{last:percent} of its last. Look for what is learnt, or wakes up.",
        "loses {first:percent} at first and {last:percent} at the end of each trial",
    ),
    "over-time.until": (
        "Until {ms:ms} into each trial {share:percent} is lost, then {usual}: something is learnt, "
        "or wakes up.",
        "loses {share:percent} until {ms:ms} into each trial",
    ),
    "over-time.from": (
        "From {ms:ms} into each trial on {share:percent} is lost, before that {usual}: look for a "
        "timer or heat.",
        "loses {share:percent} from {ms:ms} into each trial on",
    ),
    "over-time.after": (
        "After about {packets:.0f} packets of each trial {share:percent} is lost, before that "
        "{usual}: look for a quota, a table that fills.",
        "loses {share:percent} after about {packets:.0f} packets",
    ),
    "usual": "{share:percent} is",
    "usual.nothing": "nothing is",
    "over-run.part": (
        "From the {first:ordinal} to the {last:ordinal} of {trials} trials {share:percent} is lost "
        "at any rate, before and after that {usual}: something changed during the run. Look for "
        "heat, a quota, a change of the gateway.",
        "loses {share:percent} from the {first:ordinal} to the {last:ordinal} of {trials} trials",
    ),
    "over-run.from": (
        "From the {first:ordinal} of {trials} trials on {share:percent} is lost at any rate, "
        "before that {usual}: something changed during the run. Look for heat, a quota, a change "
        "of the gateway.",
        "loses {share:percent} from the {first:ordinal} of {trials} trials on",
    ),
    "over-run.until": (
        "Until the {last:ordinal} of {trials} trials {share:percent} is lost at any rate, then "
        "{usual}: something changed during the run. Look for heat, a quota, a change of the "
        "gateway.",
        "loses {share:percent} until the {last:ordinal} of {trials} trials",
    ),
    "at-times": (
        "{clause:upper} ({part:percent} of the time), and nothing else: look for " + COMES,
        "loses {share:percent} for {ms:ms}{when}",
    ),
    "at-times.when": " at times",
    "at-times.from": " from {ms:ms} into each trial on",
    "at-times.trials": (
        "{clause:upper}: {lossy} of {trials} trials lose as a whole. Look for " + COMES,
        "loses {share:percent} for longer than a trial, and then nothing, at any rate",
    ),
    "tester": (
        "{faults} Rates and times are less sure.",
        "was measured by a tester that is at fault",
    ),
    "tester.paused": "The tester's sender got no CPU for {share:percent} of the time.",
    "tester.dropped": "The tester's sink dropped {share:percent} itself.",
    "size": "{size} ({share:percent})",
    "sizes": (
        "Frames of some sizes are lost, the others are not: {sizes} bytes.",
        "loses frames of {many} of {of} sizes",
    ),
    "sizes.limit": (
        "Nothing of {longer} bytes or more comes through, {most} bytes do: the path's MTU is "
        "smaller than the tester's, or a rule drops by length.",
        "lets no frame of {longer} bytes or more through",
    ),
    "sizes.not-monotone": (
        "Loses more at {sizes} bytes than at the sizes below and above.",
        "loses more at {size} bytes than at smaller and larger frames",
    ),
    "size.reported": ("{finding}{report}", "{finding:clause}"),
    "size.none": (
        "Nothing of any size comes through.{report}",
        "lets nothing through, of any size",
    ),
    "size.exact": (
        "Nothing over {most} bytes comes through: the path's MTU is {mtu} bytes, or a rule drops "
        "by length.{report}",
        "lets no frame over {most} bytes through",
    ),
    "size.between": (
        "Nothing of {beyond} bytes comes through, {most} bytes do.{report}",
        "lets no frame of {beyond} bytes or more through",
    ),
    "size.unreported": " The gateway counts none as too large, and no ICMP said so.",
    "size.icmp": " The gateway counts {large:grouped} as too large and sent {sent:grouped} ICMP "
    "about them.",
    "size.no-icmp": " The gateway counts {large:grouped} as too large and sent no ICMP about them.",
    "nothing": (
        "Nothing comes through of {what}: {lost:grouped} of {tried:grouped} packets are lost. Look "
        "at rules, routes, the MTU, the ports.",
        "lets nothing through of {what}",
    ),
    "nothing.hairpin": (
        "Has no hairpin: of {tried:grouped} packets to its address outside none came back to the "
        "LAN. Look for NAT reflection (NAT loopback) among its rules.",
        "has no hairpin",
    ),
    "nothing.frames": "frames of {bytes} bytes",
    "nothing.sent": "what is sent",
    "nothing.more": (
        "{clause:upper}: look for a quota, a limit of connections, a table that fills.",
        "lets nothing through {after}",
    ),
    "nothing.after": "after about {packets:.0f} packets of each trial",
    "nothing.soon": "soon in each trial",
    "overload": (
        "Its CPU is full ({busy:percent}) at {rate:pps}; its queue refuses the rest.",
        "is full at {rate:pps}",
    ),
    "of-lost": (
        "{finding:open} ({corrupt:grouped} of {lost:grouped} lost beyond the sender's port).",
        "{finding:clause}",
    ),
    "corruption": (
        "{share:percent} of the packets come corrupted{at}{more}.",
        "has {share:percent} of its packets corrupted{at}",
    ),
    "corruption.ip_sum": ": the checksum of IP is wrong",
    "corruption.udp_sum": ": the checksum of UDP is wrong",
    "corruption.no_sum": ": the checksum of UDP was taken out",
    "corruption.header": ": the checksum is right and the test header is not, as where the payload "
    "is rewritten",
    "exchange": (
        "{share:percent} of the packets are lost, and as many others come twice in each trial: a "
        "buffer is sent again in their place, or headers change under a right checksum.",
        "sends {share:percent} of its packets with another one's content",
    ),
    "duplication": (
        "{share:percent} of the packets come twice{at}{more}.",
        "has {share:percent} of its packets twice{at}",
    ),
    "reordering": (
        "{share:percent} of the packets come out of order{at}{more}.",
        "has {share:percent} of its packets out of order{at}",
    ),
    "reordering.by": ", by {packets:.0f} packets of their flow or more",
    "from-rate": " at {rate:pps} and more",
    "slow-flows": (
        "{many} of {flows} flows take {longer:ns} longer than the others, which take {usual:ns}: "
        "{which}. Look at rules and queues that they alone pass.",
        "delays {many} of {flows} flows by {longer:ns}",
    ),
    "waiting-packets": (
        "{share:whole} of the packets or more take {late:ns} or longer, and half of all at most "
        "{usual:ns}: look for a queue, a limit or a slower way that they alone meet.",
        "delays {share:whole} of the packets or more by {late:ns} or longer",
    ),
    "stalls": (
        "{clause:upper} ({share:percent} of the time; longest {longest:ms}).{who}",
        "stands still for {ms:ms}{every}",
    ),
    "stalls.dropping": (
        "{clause:upper} ({share:percent} of the time; longest {longest:ms}).",
        "lets nothing through for {ms:ms}{every}",
    ),
    "stalls.no-cpu": (
        "{clause:upper}.{who}",
        "gets no CPU for {share:percent} of the time, a few ms at a time",
    ),
    "stalls.who": " Meanwhile {name} had its CPU.",
    "triggered": (
        "{clause:upper}, at all rates beyond; at {below:pps} nothing is lost: look for what guards "
        "against floods, or a table that a rate fills.",
        "loses {share:percent} once {rate:pps} are offered",
    ),
    "triggered.after": (
        "{clause:upper}, at all rates beyond; for some time after it also at {below:pps} and less: "
        "look for what guards against floods, or a table that a rate fills.",
        "loses {share:percent} once {rate:pps} are offered",
    ),
    "not-monotone": (
        "Does worse at {rates} than at the rates below and above.",
        "does worse at {rates} than below and above",
    ),
    "unexplained": (
        "{share:percent} lost at {rate:pps}{rises}, {cpu}: not explained{lower}.",
        "loses {share:percent} at {rate:pps} without explanation",
    ),
    "unexplained.rises": ", rising with the rate",
    "unexplained.lower": "; a lower rate would say whether it is load",
    "cpu": "CPU {busy:percent}",
    "cpu.unread": "CPU not read",
}
