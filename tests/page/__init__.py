# SPDX-License-Identifier: Apache-2.0
"""The report page in a real browser, as its reader has it."""
