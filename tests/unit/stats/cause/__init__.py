# SPDX-License-Identifier: Apache-2.0
"""Tests of stats/cause, by records in which a counter rose."""
