# SPDX-License-Identifier: Apache-2.0
"""A trace, replayed from both sides in its own timing."""
