# SPDX-License-Identifier: Apache-2.0
"""A cause of drops by the name that people call it."""

from gatemark.judge.cause import reconcile
from gatemark.store.drops import Drop


def name(drop: Drop) -> str:
    """Return the name: `nft rule "udp dport 5001 drop"`, `tbf at gw1`."""
    is_counted = drop.cause != reconcile.UNCOUNTED
    return reconcile.name(drop) if is_counted else "a rule or policy without a counter"
