# SPDX-License-Identifier: Apache-2.0
"""Counters that name a cause: one table of them, and where it applies."""
