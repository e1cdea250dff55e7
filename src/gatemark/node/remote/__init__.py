# SPDX-License-Identifier: Apache-2.0
"""Hosts reached over SSH: the way in, channels, the lease on them, gm-agent put there."""
