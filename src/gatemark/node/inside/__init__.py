# SPDX-License-Identifier: Apache-2.0
"""The helpers that stay in a host for a run, so that a trial starts next to nothing there."""
