# SPDX-License-Identifier: Apache-2.0
"""A run beside its answers: its conditions, its inventory, its row among devices."""
