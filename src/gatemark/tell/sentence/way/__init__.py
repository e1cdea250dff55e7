# SPDX-License-Identifier: Apache-2.0
"""What the way does to packets: a line that changes, marks."""
