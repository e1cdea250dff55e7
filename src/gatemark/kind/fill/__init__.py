# SPDX-License-Identifier: Apache-2.0
"""Flows that fill a gateway's table."""
