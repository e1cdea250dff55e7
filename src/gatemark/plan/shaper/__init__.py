# SPDX-License-Identifier: Apache-2.0
"""Shapers: how a plan writes one, and the search for the highest rate that one holds."""
