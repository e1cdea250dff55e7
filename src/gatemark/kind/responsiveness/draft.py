# SPDX-License-Identifier: Apache-2.0
"""The constants of draft-ietf-ippm-responsiveness-09 by its own names; what it leaves open is ours.

Other versions of the draft give other numbers for one network, so the version is in a definition.
"""

from typing import Final

DRAFT: Final = "draft-ietf-ippm-responsiveness-09"

MAD: Final = 4  # moving average distance, in intervals
ID_S: Final = 5.0  # interval duration; up to -08: 1 s
TMP: Final = 0.95  # trimmed mean percentile: the part of the samples that is kept
SDT: Final = 0.05  # standard deviation tolerance, of the mean that it is of
INP: Final = 1  # initial number of load connections
INC: Final = 1  # that are added at the end of each interval
MNP: Final = 16  # most load connections
MPS: Final = 100  # most probes a second
PTC: Final = 0.05  # probe traffic: most of the capacity that probes may take

LONGEST_PHASE: Final = 20  # intervals, of each of both phases
LATE_S: Final = 10.0  # a probe that is not back by then has failed
MOST_FAILED: Final = 0.05  # of the probes: with more the confidence is low

# What a probe is counted as, and without TLS: fewer round trips, no certificate.
FOREIGN_BYTES: Final = 5_000
SELF_BYTES: Final = 1_000
CLEAR_FOREIGN_BYTES: Final = 1_000

# Before the load, one probe after the other.
IDLE_PAIRS: Final = 20
IDLE_GAP_S: Final = 0.02


def pairs_per_s(capacity_bytes_per_s: float, *, tls: bool = True) -> float:
    """Pairs of a foreign and a self probe a second, of a way of that capacity.

    One where it is not known (0): so much a line of 1 Mbit/s bears.
    """
    if not capacity_bytes_per_s:
        return 1.0
    pair_bytes = (FOREIGN_BYTES if tls else CLEAR_FOREIGN_BYTES) + SELF_BYTES
    return min(MPS / 2, PTC * capacity_bytes_per_s / pair_bytes)


def most_intervals() -> int:
    """The most intervals of both phases together."""
    return 2 * LONGEST_PHASE
