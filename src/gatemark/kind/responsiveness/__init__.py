# SPDX-License-Identifier: Apache-2.0
"""Responsiveness under working conditions: round trips a minute while the way is full."""
