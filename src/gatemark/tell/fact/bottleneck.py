# SPDX-License-Identifier: Apache-2.0
"""The evidence of a bottleneck, in words."""

from typing import Final

from gatemark.tell.fact.say import Entries

ENTRIES: Final[Entries] = {
    "why.no-trial": "no valid trial",
    "why.on-schedule": "{share:share} lost, on schedule",
    "why.late-line": "the line sent {share:share} of its frames over 1 ms late",
    "why.line-dropped": "the line dropped {share:share} of what was lost",
    "why.line-busy": "the line was busy {share:share} of the time",
    "why.sink": "the sink itself dropped {share:share} of what was sent",
    "why.ceiling": "at {share:share} of the tester's ceiling of {ceiling:.4g} {unit}",
    "why.all-it-can": "sent as fast as the tester can, nothing lost",
    "why.schedule": "the sender made {share:share} of its schedule",
    "why.conntrack": "conntrack dropped {share:share} of what was lost",
    "why.queue": "the queue of {where} dropped {share:share} of what was lost",
    "why.core-refused": "{core}; its queue refused the surplus",
    "why.waited": "{who} has no CPU of its own and waited for one {waiting:share} of the time, "
    "busy {busy:share}",
    "why.carrier": "the {who} that carries the frames: busy {busy:share}, kept waiting "
    "{waiting:share}",
    "why.link": "{share:share} of the link's {mbps:g} Mbit/s",
    "why.memory": "{mib:.1f} MiB of memory left",
    "why.tester-cpu": "an end of the tester was busy {busy:share} of its CPU",
    "why.restarted": "what was lost was lost while the gateway restarted",
    "why.nobody": "neither the gateway nor the tester was seen at its end: {busiest}",
    "why.no-account": "packets were not accounted for",
    "why.unexplained": "{share:share} lost and no evidence that explains it, {busiest}",
    "why.busiest": "busiest CPU {busy:share}",
    "why.no-gateway": "no gateway between LAN host and WAN host",
    "core": "{who} busy {busy:share} of cpu {cpu}",
    "core.any": "{who} busy {busy:share} of a CPU",
    "core.inside": "cpu {cpu} busy {busy:share}, as the gateway reads it itself",
    "left-out": "nothing held it back: {why}",
    "left-out.limit": "limit {limit}: {why}",
}
