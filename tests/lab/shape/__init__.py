# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the lab's gateway, and what they are named as."""
