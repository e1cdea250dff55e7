# SPDX-License-Identifier: Apache-2.0
"""Faults of a gateway's services in words: names and addresses."""

from typing import Final

from gatemark.tell.fact.say import Entries

ENTRIES: Final[Entries] = {
    "dns.both": "queries",
    "dns.hit": "queries of cached names",
    "dns.miss": "queries of new names",
    "dns.every": ", one of {number:.0f}",
    "dns.below": ", and none at {rate:queries}",
    "dns.lost": (
        "Of the {what} at {at:queries} {share:percent} have no answer within a second{every}"
        "{below}: look for a limit of the forwarder, and for its socket's drops.",
        "loses {share:percent} of the {what} at {at:queries}{every}{below}",
    ),
    "dns.refused": (
        "At {at:queries} {share:percent} of the queries are answered by an error ({codes}). "
        "dnsmasq refuses what is more than `dns-forward-max` at once (150).",
        "refuses {share:percent} of the queries at {at:queries} ({codes})",
    ),
    "dns.late": (
        "95 of 100 {what} at {at:queries} take up to {ns:ns}, more than 200 ms.",
        "answers {what} at {at:queries} in up to {ns:ns}",
    ),
    "ra.ends": (
        "For {share:percent} of the time a host had no router or no prefix: what an advert says "
        "ended before the next one came.",
        "leaves a host without a router or a prefix for {share:percent} of the time",
    ),
    "ra.late": (
        "A host that asks for a router waits for {ns:ns}, more than {limit:ns}.",
        "lets a host wait for a router for {ns:ns}",
    ),
    "pd.gone": (
        "For {share:percent} of the time the delegated prefix did not answer, for {ns:ns} at the "
        "longest: hosts in it have no network then.",
        "leaves its delegated prefix for {share:percent} of the time",
    ),
    "pd.lost": (
        "{count:.0f} of {of:.0f} renewals of the prefix were lost ({how}). Where this goes on "
        "until the prefix is no longer valid, the whole network loses it.",
        "loses {count:.0f} of {of:.0f} renewals of its prefix ({how})",
    ),
    "pd.unheard": "the gateway asked again, as if no answer had come",
    "pd.unasked": "the gateway did not ask in time",
    "dhcp.not-leased": (
        "{count:.0f} of {of:.0f} hosts got no address, however often they asked ({who}).",
        "gives {count:.0f} of {of:.0f} hosts no address",
    ),
    "dhcp.not-renewed": (
        "{count:.0f} of {of:.0f} leases were not renewed: {how} ({who}). Such a host loses its "
        "address when its lease is over, or asks all again.",
        "does not renew {count:.0f} of {of:.0f} leases ({who})",
    ),
    "dhcp.silent": "no answer to {asked:.0f} requests",
    "dhcp.refused": "they were refused (NAK)",
    "dhcp.shorter": "the answer has another address or a shorter time",
    "dhcp.shared-lease": (
        "{count:.0f} addresses were given to two hosts at the same time ({who}).",
        "gives {count:.0f} addresses to two hosts",
    ),
    "dhcp.late": (
        "95 of 100 hosts wait up to {ns:ns} for their address, more than {limit:ns}.",
        "takes up to {ns:ns} for an address",
    ),
}
