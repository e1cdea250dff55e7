# SPDX-License-Identifier: Apache-2.0
"""In what a published value is not known to be like ours, in words."""

from typing import Final

from gatemark.judge.fact import Fact
from gatemark.tell.fact.say import Entries, Said

UNSTATED: Final = "reference.unstated"
IMPLIED: Final = "reference.implied"
FIELDS: Final = {
    "family": "IP version",
    "frame_bytes": "packet size",
    "write_bytes": "write size",
    "socket_buffer_bytes": "socket buffer",
    "congestion": "congestion control",
    "duration_s": "duration",
    "start_s": "start",
    "loss_criterion": "loss criterion",
}


def field(fact: Fact) -> str:
    """Return the field of a fact in words."""
    name = str(fact.values["field"])
    return FIELDS.get(name, name)


def _beside(fact: Fact) -> Said:
    there, here = (f"{fact.values[side]:g} s" for side in ("there", "here"))
    return f"{fact.values['name']}'s {field(fact)} {there} assumed, {here} here", ""


ENTRIES: Final[Entries] = {
    "reference.nearest": "the nearest of {choices} points of ours",
    "reference.duration": "duration {there:g} s there, {here:g} s here",
    "reference.buffer": "socket buffer {bytes} B there, tuned by the kernel here",
    UNSTATED: lambda fact: (f"{field(fact)} not said there", ""),
    IMPLIED: lambda fact: (f"{field(fact)} only implied there", ""),
    "reference.contradicts": "the source contradicts itself{rest}",
    "reference.beside": _beside,
}
