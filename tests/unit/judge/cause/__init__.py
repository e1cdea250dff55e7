# SPDX-License-Identifier: Apache-2.0
"""Tests of judge/cause, by records in which a counter rose."""
