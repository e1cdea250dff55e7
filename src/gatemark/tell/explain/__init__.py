# SPDX-License-Identifier: Apache-2.0
"""A word explained: its page of docs/numbers, and the trials of a run that are behind it."""
