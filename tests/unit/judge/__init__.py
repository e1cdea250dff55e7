# SPDX-License-Identifier: Apache-2.0
"""Tests of `gatemark.judge`, against simulated gateways whose truth is known."""
