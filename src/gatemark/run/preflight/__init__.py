# SPDX-License-Identifier: Apache-2.0
"""Checks before a run: what this machine can run, and which arms would be skipped."""
