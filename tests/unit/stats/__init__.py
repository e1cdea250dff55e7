# SPDX-License-Identifier: Apache-2.0
"""Tests of `gatemark.stats`, against simulated gateways whose truth is known."""
