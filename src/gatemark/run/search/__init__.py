# SPDX-License-Identifier: Apache-2.0
"""Searches for the highest rate, or the longest burst, within a loss criterion."""
