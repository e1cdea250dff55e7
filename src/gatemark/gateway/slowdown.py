# SPDX-License-Identifier: Apache-2.0
"""The slowdown: a lab gateway made slow and steady by waiting, by the clock, for every packet."""

from gatemark.node.agent import Agent
from gatemark.station.wiring import Gateway

# What forwarding one packet costs besides the wait, roughly; the rate that comes out is measured.
FORWARDING_NS = 1250


def wait_ns(rate_pps: int) -> int:
    """The wait that makes a gateway forward about `rate_pps` packets/s."""
    return max(0, round(1e9 / rate_pps) - FORWARDING_NS)


class Slowdown:
    """The slowdown of one gateway; an agent in the gateway holds it."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self._set: tuple[int, bool] = (0, False)
        self._agent: Agent | None = None

    async def set(self, rate_pps: int, *, own: bool = False) -> None:
        """Slowdown to about `rate_pps` packets/s, or release (0).

        Packets wait as they arrive; where the gateway has traffic of its `own`, that waits as well,
        as it leaves.
        """
        if (rate_pps, own) == self._set and (self._agent is None or self._agent.alive):
            return
        await self.release()
        if rate_pps:
            request = {
                "devices": list(self.gateway.devices.values()),
                "wait_ns": wait_ns(rate_pps),
                "hooks": ["ingress", "egress"] if own else ["ingress"],
            }
            self._agent = await Agent.launch(self.gateway.node, "slow", request)
        self._set = (rate_pps, own)

    async def release(self) -> None:
        """Take the slowdown off."""
        agent, self._agent, self._set = self._agent, None, (0, False)
        if agent and agent.alive:  # a dead one has taken its slowdown off as it died
            await agent.close()
