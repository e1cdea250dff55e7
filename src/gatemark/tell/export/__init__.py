# SPDX-License-Identifier: Apache-2.0
"""Runs in the formats of other programs, one file a format."""
