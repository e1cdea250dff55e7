# SPDX-License-Identifier: Apache-2.0
"""Round trips a minute from the times of probes: pure functions (draft -09).

Times are in ms here, as in the draft's formulas.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from gatemark.kind.responsiveness.draft import TMP

MINUTE_MS = 60_000.0


def trimmed_mean(values: Sequence[float]) -> float:
    """The mean of the smallest 95 % of the values, of one at least. ValueError without any."""
    if not values:
        raise ValueError("no values to take a mean of")
    kept = sorted(values)[: max(1, int(round(TMP * 100) * len(values) // 100))]
    return sum(kept) / len(kept)


@dataclass(frozen=True, slots=True)
class Times:
    """The times of a window's probes, in ms; `tls` is empty where there is no TLS."""

    tcp_f: Sequence[float]  # foreign: to connect
    tls_f: Sequence[float]  # foreign: a round trip of the handshake
    http_f: Sequence[float]  # foreign: from the request to the answer's last byte
    http_l: Sequence[float]  # self: the same beside a load stream

    @property
    def are_enough(self) -> bool:
        """Return whether there is a probe of either kind."""
        return bool(self.tcp_f and self.http_f and self.http_l)


@dataclass(frozen=True, slots=True)
class Score:
    """Round trips a minute."""

    foreign: float
    loaded: float
    harmonic: float  # as up to -03: by the mean of both times

    @property
    def rpm(self) -> float:
        """The mean of both (-09)."""
        return (self.foreign + self.loaded) / 2

    @classmethod
    def of(cls, times: Times) -> Self:
        """The formula. ValueError without probes of both kinds."""
        parts = [part for part in (times.tcp_f, times.tls_f, times.http_f) if part]
        foreign_ms = sum(map(trimmed_mean, parts)) / len(parts)
        loaded_ms = trimmed_mean(times.http_l)
        return cls(
            MINUTE_MS / foreign_ms,
            MINUTE_MS / loaded_ms,
            MINUTE_MS / (foreign_ms / 2 + loaded_ms / 2),
        )
