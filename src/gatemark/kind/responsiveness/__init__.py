# SPDX-License-Identifier: Apache-2.0
"""Responsiveness under working conditions: round trips a minute while the way is full."""

from typing import Final

_TIMES: Final = {  # of each probe, in each form below
    "tcp_f": "a foreign probe's connecting",
    "tls_f": "a round trip of a foreign probe's handshake",
    "http_f": "a foreign probe's request",
    "http_l": "a request beside a load",
}
_FORMS: Final = {
    "tm_ns": ("ns", "trimmed mean of {}"),
    "p50_ns": ("ns", "median of {}"),
    "p90_ns": ("ns", "90th percentile of {}"),
    "p99_ns": ("ns", "99th percentile of {}"),
    "probes": ("probes", "probes that tell of {}"),
    "idle_p50_ns": ("ns", "median of {}, at rest"),
}
# What its values are: the unit, and words.
QUANTITIES: Final = {
    "rpm": ("1/min", "responsiveness: HTTP round trips a minute under load"),
    "rpm_foreign": ("1/min", "responsiveness by foreign probes alone"),
    "rpm_loaded": ("1/min", "responsiveness by requests beside a load alone"),
    "rpm_harmonic": ("1/min", "responsiveness by the formula of drafts up to -03"),
    "rpm_idle": ("1/min", "responsiveness at rest"),
    **{
        f"{probe}_{form}": (unit, words.format(time))
        for probe, time in _TIMES.items()
        for form, (unit, words) in _FORMS.items()
    },
    "load_connections": ("connections", "load connections of a responsiveness test"),
    "failed_share": ("ratio", "share of the probes without an answer"),
    "intervals": ("intervals", "intervals of a responsiveness test"),
}
