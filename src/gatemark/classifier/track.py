# SPDX-License-Identifier: Apache-2.0
"""Flows with the windows that the C program made of their packets."""

from dataclasses import dataclass

from gatemark.classifier.manifest import APART, Flow


@dataclass(frozen=True, slots=True)
class Window:
    """The attributes of a full window as its last packet passed.

    `packet` counts the flow's packets from 1; `time_us` is since the flow's first packet;
    `uplink_bytes` are the IP bytes that the window's packets took from the LAN; `hint` is what
    the headers of its payloads say (`enum header`).
    """

    packet: int
    time_us: int
    values: tuple[int, ...]
    uplink_bytes: int = 0
    hint: int = 0


@dataclass(frozen=True, slots=True)
class Track:
    """A labelled flow, the class that a model is to give it, and its windows in order.

    `packets` are all of the flow, also those behind its last full window.
    """

    flow: Flow
    label: str
    windows: tuple[Window, ...]
    packets: int

    @property
    def counts(self) -> bool:
        """Return whether it is trained on and scored, as set-up and tunnels are not."""
        return self.flow.role not in APART
