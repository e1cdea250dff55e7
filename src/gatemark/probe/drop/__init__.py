# SPDX-License-Identifier: Apache-2.0
"""Counters of what a gateway dropped: one file a part of the kernel, each with its `PARTS`."""
