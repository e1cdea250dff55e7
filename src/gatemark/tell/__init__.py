# SPDX-License-Identifier: Apache-2.0
"""What people look at: the terminal's answer and the page. Reads `store` and `judge` only."""
