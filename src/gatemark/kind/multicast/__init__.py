# SPDX-License-Identifier: Apache-2.0
"""A multicast group: joined, received, left."""
