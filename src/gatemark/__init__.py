# SPDX-License-Identifier: Apache-2.0
"""Gatemark: a benchmark laboratory for Linux gateways."""

__version__ = "0.1.0"
