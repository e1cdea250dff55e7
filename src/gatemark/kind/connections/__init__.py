# SPDX-License-Identifier: Apache-2.0
"""TCP connections: how many at once, how many a second."""
