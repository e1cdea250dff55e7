# SPDX-License-Identifier: Apache-2.0
"""Prices of a gateway's rules: instructions of a packet, by kind of packet, on a counted guest."""
