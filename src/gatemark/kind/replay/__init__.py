# SPDX-License-Identifier: Apache-2.0
"""A trace, replayed from both sides in its own timing."""

from typing import Final

# What its values are: the unit, and words.
QUANTITIES: Final = {
    "pace_error_p50_ns": ("ns", "median error of a replay's send times"),
    "pace_error_p99_ns": ("ns", "99th percentile of the error of a replay's send times"),
    "pace_error_max_ns": ("ns", "largest error of a replay's send times"),
}
