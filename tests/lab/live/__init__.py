# SPDX-License-Identifier: Apache-2.0
"""Real programs across a lab's gateway: a classifier finds a game among uploads."""
