# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the lab's gateway from beside a run, and what the run names them."""
