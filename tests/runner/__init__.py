# SPDX-License-Identifier: Apache-2.0
"""Runs the tests in stages; `tests/run.py` is its front door."""
