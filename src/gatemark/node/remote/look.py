# SPDX-License-Identifier: Apache-2.0
"""A single look at a host over SSH by the agent that stays there (agent/PROTOCOL.md, "look").

A slow gateway takes a tenth of a second to begin a program; a fork of the agent, a thousandth.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final, Self

from gatemark.error import GatemarkError, NodeError, UnavailableError
from gatemark.node.agent import ANSWER_S, Agent
from gatemark.node.inside.door import Link, Qdisc
from gatemark.node.remote.ssh import Ssh
from gatemark.node.shell import Clock, Node

COUNTS: Final = (  # of a link, in the order in which they are told
    *("rx_missed_errors", "rx_over_errors", "rx_fifo_errors"),
    *("rx_crc_errors", "rx_frame_errors", "rx_length_errors"),
    *("rx_dropped", "tx_dropped"),
)


class Look:
    """What the agent saw, for those who ask a namespace's `Door` the same."""

    def __init__(self, name: str, report: Mapping[str, Any]) -> None:
        self._name = name
        self._report = report
        self.files: Mapping[str, str] = report["files"]

    @classmethod
    async def at(
        cls,
        node: Node,
        files: Iterable[str] = (),
        what: Iterable[str] = (),
        *,
        forget: bool = False,
    ) -> Self | None:
        """Look at a host: files, lists; None where no agent of ours can do so.

        `forget` has it remove every connection that it tracks.
        """
        if not isinstance(node, Ssh) or not node.looks:
            return None
        wanted = [*what]
        request = {"files": [*files], "what": wanted, "forget": forget}
        try:
            agent = await Agent.launch(node, "look", request, its_clock=Clock())
            report = await agent.report(ANSWER_S)
        except UnavailableError:  # none is built for it, or it has no room for one
            node.looks = False
            return None
        except GatemarkError:  # a host that is lost is lost for the next command as well
            return None
        lacks = report["failed"] or any(name not in report for name in wanted)
        return None if lacks or report.get("forgot", 0) else cls(node.name, report)

    def read(self, path: str) -> str:
        """Return a file's text. Raises NodeError where it could not be read."""
        if path not in self.files:
            raise NodeError(f"{self._name}: {path}: it cannot be read")
        return self.files[path]

    def links(self) -> dict[str, Link]:
        """Return each port, as far as the agent tells."""
        return {
            name: Link(number, mtu, 0, dict(zip(COUNTS, counts, strict=True)), bool(xdp), False)
            for name, number, mtu, xdp, *counts in self._report["links"]
        }

    def qdiscs(self) -> list[Qdisc]:
        """Return the queues of all ports."""
        return [
            Qdisc(port, kind, handle, parent, drops)
            for kind, port, handle, parent, drops in self._report["qdiscs"]
        ]

    def nft_tables(self) -> set[tuple[int, str]]:
        """Return family and name of each table of nf_tables."""
        return {(family, name) for family, name in self._report["tables"]}

    def has_counters(self) -> bool:
        """Return whether a rule of nf_tables counts packets, or nobody knows."""
        return bool(self._report["rules"])
