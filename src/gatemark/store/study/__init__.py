# SPDX-License-Identifier: Apache-2.0
"""What five studies asked, row by row, and what shows it."""
