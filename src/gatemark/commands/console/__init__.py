# SPDX-License-Identifier: Apache-2.0
"""How all verbs read their words and write their data."""
