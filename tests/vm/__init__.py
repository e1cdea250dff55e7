# SPDX-License-Identifier: Apache-2.0
"""Gateways that are virtual machines."""
